/** The build of the page, and a reload where the service has another one, as after an upgrade. */

interface BuildParts {
  /** Address of the script that started this page; its name has a hash of the build. */
  readonly script: string;
  /** Load the HTML of the page that the service has now. */
  readonly loadPage: () => Promise<string>;
  /** Memory of this tab; undefined if the browser forbids it. */
  readonly memory: Pick<Storage, 'getItem' | 'setItem'> | undefined;
  readonly reload: () => void;
}

const KEY = 'inspector.reloaded';

export class Build {
  private readonly parts: BuildParts;

  constructor(parts: BuildParts) {
    this.parts = parts;
  }

  /**
   * Return whether the service has another build, and reload then, if `mayReload`; once for each
   * build, so that no reload repeats.
   */
  async reloadIfReplaced(mayReload = true): Promise<boolean> {
    const { script, loadPage, memory, reload } = this.parts;
    const now = await loadPage().then(scriptOf, () => undefined);
    if (now === undefined || script.endsWith(`/${now}`)) return false;
    // Without a memory there is no telling a first reload from a later one.
    if (mayReload && memory !== undefined && memory.getItem(KEY) !== now) {
      memory.setItem(KEY, now);
      reload();
    }
    return true;
  }
}

/** File name of the script that a page starts with; undefined if it is not a built page. */
function scriptOf(html: string): string | undefined {
  return /<script\b[^>]*\bsrc="[^"]*?([^"/]+\.js)"/.exec(html)?.[1];
}
