/**
 * Lines of a JSON tree. A container with many children shows them in groups, so that no list is
 * longer than a browser can scroll.
 *
 * A line is a number: a node as it is, a group as the negative of its first child.
 */
import type { JsonIndex } from './json-text.ts';

/** Children of one group; a container with no more has none. */
export const GROUP = 1000;

export class JsonRows {
  private readonly index: JsonIndex;
  private readonly root: number;
  /** First child of each group, by container. */
  private readonly starts = new Map<number, Uint32Array>();

  constructor(index: JsonIndex, root: number) {
    this.index = index;
    this.root = root;
  }

  /** The visible lines, in order, given which containers are open. */
  visible(isOpen: (row: number) => boolean): number[] {
    const { index, root } = this;
    const rows: number[] = [];
    const last = index.after[root] ?? 0;
    for (let node = root; node < last; ) {
      if (node !== root && this.beginsGroup(node)) {
        rows.push(-node);
        if (!isOpen(-node)) {
          node = this.afterGroup(node);
          continue;
        }
      }
      rows.push(node);
      node = isOpen(node) ? node + 1 : (index.after[node] ?? last);
    }
    return rows;
  }

  /** Every line that must be open for a node to be visible, outermost first. */
  above(node: number): number[] {
    const rows: number[] = [];
    for (let at = node; at > this.root; at = this.index.parent[at] ?? this.root) {
      const group = this.groupOf(at);
      if (group !== undefined) rows.push(-group);
      rows.push(this.index.parent[at] ?? this.root);
    }
    return rows.reverse();
  }

  /** Depth of a line below the root, with the groups on the way. */
  depth(row: number): number {
    const node = Math.abs(row);
    let depth = (this.index.depth[node] ?? 0) - (this.index.depth[this.root] ?? 0);
    for (let at = node; at > this.root; at = this.index.parent[at] ?? this.root) {
      if (this.isGrouped(this.index.parent[at] ?? -1)) depth += 1;
    }
    return row < 0 ? depth - 1 : depth;
  }

  /** Positions of the first and the last child of a group. */
  range(row: number): readonly [first: number, last: number] {
    const first = this.index.position[-row] ?? 0;
    const count = this.index.childCount[this.index.parent[-row] ?? 0] ?? 0;
    return [first, Math.min(first + GROUP, count) - 1];
  }

  private isGrouped(container: number): boolean {
    return container >= 0 && (this.index.childCount[container] ?? 0) > GROUP;
  }

  private beginsGroup(node: number): boolean {
    return (
      (this.index.position[node] ?? 0) % GROUP === 0 &&
      this.isGrouped(this.index.parent[node] ?? -1)
    );
  }

  private groupOf(node: number): number | undefined {
    const parent = this.index.parent[node] ?? -1;
    if (!this.isGrouped(parent)) return undefined;
    return this.startsOf(parent)[Math.floor((this.index.position[node] ?? 0) / GROUP)];
  }

  private afterGroup(node: number): number {
    const parent = this.index.parent[node] ?? 0;
    const next = Math.floor((this.index.position[node] ?? 0) / GROUP) + 1;
    return this.startsOf(parent)[next] ?? this.index.after[parent] ?? 0;
  }

  private startsOf(container: number): Uint32Array {
    const known = this.starts.get(container);
    if (known !== undefined) return known;
    const starts = new Uint32Array(Math.ceil((this.index.childCount[container] ?? 0) / GROUP));
    const { after, position } = this.index;
    const last = after[container] ?? 0;
    for (let child = container + 1; child < last; child = after[child] ?? last) {
      const at = position[child] ?? 0;
      if (at % GROUP === 0) starts[at / GROUP] = child;
    }
    this.starts.set(container, starts);
    return starts;
  }
}

/** Whether a line is open at first: a small container, the smaller the deeper; no group. */
export function isOpenAtFirst(index: JsonIndex, row: number, root: number): boolean {
  if (row < 0) return false;
  const size = (index.after[row] ?? row) - row;
  const depth = (index.depth[row] ?? 0) - (index.depth[root] ?? 0);
  if (depth === 0) return true;
  if (depth === 1) return size <= 60;
  return depth <= 4 && size <= 16;
}
