/** Stack trace with the frames of libraries folded. */

type Frames =
  | { readonly isFolded: false; readonly text: string }
  | { readonly isFolded: true; readonly count: number };

/** Limit of adjacent frames that are not folded. */
const FEW = 2;

/**
 * Split a stack trace into shown lines and folded frames. `foreign` matches lines that name a file
 * of a library. Joined, the parts are the text; lines outside a frame are never folded.
 */
export function foldFrames(text: string, foreign: RegExp): Frames[] {
  const folded: Frames[] = [];
  let own: string[] = [];
  let run: string[][] = [];
  const endRun = () => {
    if (run.length > FEW) {
      endOwn();
      folded.push({ isFolded: true, count: run.length });
    } else own.push(...run.flat());
    run = [];
  };
  const endOwn = () => {
    if (own.length > 0) folded.push({ isFolded: false, text: own.join('\n') });
    own = [];
  };
  for (const frame of framesOf(text.split('\n'))) {
    if (isFrame(frame[0] ?? '') && foreign.test(frame[0] ?? '')) run.push(frame);
    else {
      endRun();
      own.push(...frame);
    }
  }
  endRun();
  endOwn();
  return folded;
}

/** Frames of a trace; Python's is a line with the file and the indented lines after it. */
function* framesOf(lines: readonly string[]): Generator<string[]> {
  let frame: string[] = [];
  for (const line of lines) {
    const belongs = isPython(frame[0] ?? '') && /^ {4}/.test(line) && !isFrame(line);
    if (!belongs && frame.length > 0) {
      yield frame;
      frame = [];
    }
    frame.push(line);
  }
  if (frame.length > 0) yield frame;
}

function isFrame(line: string): boolean {
  return isPython(line) || /^\s+at /.test(line);
}

function isPython(line: string): boolean {
  return /^\s*(?:\| )*\s*File ".*", line \d+/.test(line);
}
