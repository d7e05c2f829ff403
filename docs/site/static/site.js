// The version becomes a list where `versions.json`, beside the folders of the versions, has more
// than this one. A page that is opened as a file shows its own version.
const version = document.querySelector('.site-version');
const versions = new URL(`${document.documentElement.dataset.content_root}../versions.json`, location.href);

async function offerVersions() {
  const names = await (await fetch(versions)).json();
  if (names.length < 2) return;
  const list = document.createElement('select');
  list.setAttribute('aria-label', 'Version');
  for (const name of names) list.add(new Option(name, name, false, name === version.dataset.version));
  list.addEventListener('change', () => {
    location.href = new URL(`${list.value}/index.html`, versions).href;
  });
  version.replaceChildren(list);
}

if (version && location.protocol !== 'file:') offerVersions().catch(() => {});

for (const block of document.querySelectorAll('div.highlight')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('pre').textContent.trimEnd());
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  block.append(button);
}
