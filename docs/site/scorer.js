// Scores of the search: the defaults of Sphinx, with pages for those who build Inspector last.
const FOR_BUILDERS = /^(adr\/|changelog|requirements|benchmarks|dependencies|architecture|reference\/)/;

var Scorer = {
  score: ([page, , , , score]) => (FOR_BUILDERS.test(page) ? score / 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
