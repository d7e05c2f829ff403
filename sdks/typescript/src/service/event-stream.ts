/** Server-sent events, from pieces of text. */

const MAX_CHARS = 64 * 2 ** 20;

/** An event is longer than any may be; it is left out, and the next one is read. */
export class TooLongError extends Error {}

/** Splits a stream into the `data` of its events. */
export class EventSplitter {
  #rest = '';
  #data: string[] = [];
  #chars = 0;

  /**
   * Return the data of the events that `piece` completes.
   *
   * @throws TooLongError An event has more than 64 Mi characters.
   */
  feed(piece: string): string[] {
    const found: string[] = [];
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) found.push(this.#data.join('\n'));
        this.#data = [];
        this.#chars = 0;
      } else if (line.startsWith('data:')) {
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
        this.#chars += line.length;
      }
    }
    if (this.#chars + this.#rest.length > MAX_CHARS) {
      this.#rest = '';
      this.#data = [];
      this.#chars = 0;
      throw new TooLongError();
    }
    return found;
  }
}
