// Scores of the search: the defaults of Sphinx, with guides before reference, and pages for those
// who build Inspector last.
const FOR_BUILDERS = /^(adr\/|changelog|requirements|benchmarks|dependencies|contributing|architecture|reference\/)/;

// Sphinx counts a word in the title of a page no more than one in the title of a section.
const QUERY = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().match(/\w{4,}/g) ?? [];
const REFERENCE = /^(cli|formats|http|settings|telemetry-spec|conventions)$/;

var Scorer = {
  score: ([page, title, , , found]) => {
    const score = found + 5 * QUERY.filter((word) => title.toLowerCase().includes(word)).length;
    if (FOR_BUILDERS.test(page)) return score / 100;
    return REFERENCE.test(page) ? score / 2 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 30,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
