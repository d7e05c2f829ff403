import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LayoutOptions, layoutGraph, neighbourOf } from './graph-layout.ts';

const OPTIONS: LayoutOptions = {
  direction: 'right',
  width: 180,
  height: 50,
  layerGap: 100,
  nodeGap: 20,
};

const graphs = fc
  .record({
    count: fc.nat(40),
    pairs: fc.array(fc.tuple(fc.nat(44), fc.nat(44)), { maxLength: 90 }),
    direction: fc.constantFrom('right' as const, 'down' as const),
  })
  .map(({ count, pairs, direction }) => ({
    ids: Array.from({ length: count }, (_, at) => `n${at}`),
    edges: pairs.map(([from, to], at) => ({ id: `e${at}`, from: `n${from}`, to: `n${to}` })),
    options: { ...OPTIONS, direction },
  }));

test('whatever the graph, every node has a place of its own inside of the drawing', () => {
  fc.assert(
    fc.property(graphs, ({ ids, edges, options }) => {
      const { places, width, height } = layoutGraph(ids, edges, options);
      expect([...places.keys()].sort()).toEqual([...ids].sort());
      const all = [...places.values()];
      const { width: wide, height: high } = options;
      const isInside = all.every(
        ({ x, y }) => x >= 0 && y >= 0 && x + wide <= width + 1e-6 && y + high <= height + 1e-6,
      );
      const areApart = all.every((one, at) =>
        all
          .slice(at + 1)
          .every((other) => Math.abs(one.x - other.x) >= wide || Math.abs(one.y - other.y) >= high),
      );
      expect({ isInside, areApart }).toEqual({ isInside: true, areApart: true });
    }),
  );
});

test('a route of every edge leads from node to node, and through no other', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const edges = [
    ...['ab', 'bc', 'cd', 'ad', 'da', 'bb'].map((id) => ({
      id,
      from: id.charAt(0),
      to: id.charAt(1),
    })),
  ];
  const { places, routes } = layoutGraph(ids, edges, OPTIONS);
  const isIn = (id: string, { x, y }: { x: number; y: number }) => {
    const place = places.get(id) ?? { x: 0, y: 0 };
    const [right, down] = [x - place.x, y - place.y];
    return right >= -1 && down >= -1 && right <= OPTIONS.width + 1 && down <= OPTIONS.height + 1;
  };
  for (const { id, from, to } of edges) {
    const route = routes.get(id) ?? [];
    expect(isIn(from, route[0] ?? { x: -9, y: -9 })).toBe(true);
    expect(isIn(to, route.at(-1) ?? { x: -9, y: -9 })).toBe(true);
    const others = ids.filter((other) => other !== from && other !== to);
    expect(others.filter((other) => route.some((point) => isIn(other, point)))).toEqual([]);
  }
});

test('the same graph is laid out in the same way', () => {
  fc.assert(
    fc.property(graphs, ({ ids, edges, options }) => {
      expect(layoutGraph(ids, edges, options)).toEqual(layoutGraph(ids, edges, options));
    }),
  );
});

test('without circles, who calls comes before whom it calls', () => {
  fc.assert(
    fc.property(graphs, ({ ids, edges, options }) => {
      const downhill = edges.filter(
        ({ from, to }) => Number(from.slice(1)) < Number(to.slice(1)) && ids.includes(to),
      );
      const { places } = layoutGraph(ids, downhill, options);
      for (const { from, to } of downhill) {
        expect(places.get(from)?.layer).toBeLessThan(places.get(to)?.layer ?? -1);
      }
    }),
  );
});

test('arrow keys lead along edges and within a layer, and nowhere else', () => {
  const edges = [
    { id: '1', from: 'lead', to: 'a' },
    { id: '2', from: 'lead', to: 'b' },
    { id: '3', from: 'b', to: 'lead' },
  ];
  const layout = layoutGraph(['lead', 'a', 'b'], edges, OPTIONS);
  const go = (id: string, key: string) => neighbourOf(id, key, layout, edges, 'right');
  expect(['a', 'b']).toContain(go('lead', 'ArrowRight'));
  expect(go('a', 'ArrowLeft')).toBe('lead');
  const [upper = '', lower = ''] = ['a', 'b'].sort(
    (one, other) => (layout.places.get(one)?.rank ?? 0) - (layout.places.get(other)?.rank ?? 0),
  );
  expect(go(upper, 'ArrowDown')).toBe(lower);
  expect(go(lower, 'ArrowUp')).toBe(upper);
  expect(go('b', 'ArrowRight')).toBe('lead');
  expect(go('lead', 'ArrowDown')).toBeUndefined();
  expect(go('a', 'Home')).toBeUndefined();
});

test('a box of a group has its nodes in it, and no other', () => {
  const grouped = fc.tuple(
    graphs,
    fc.array(fc.constantFrom('', 'files', 'web'), { maxLength: 40 }),
  );
  fc.assert(
    fc.property(grouped, ([{ ids, edges, options }, names]) => {
      const groups = new Map(
        ids.flatMap((id, at) => (names[at] ? [[id, names[at]] as const] : [])),
      );
      const { places, boxes } = layoutGraph(ids, edges, options, groups);
      expect([...boxes.keys()].sort()).toEqual([...new Set(groups.values())].sort());
      const misplaced = ids.flatMap((id) => {
        const { x = 0, y = 0 } = places.get(id) ?? {};
        return [...boxes].flatMap(([name, box]) => {
          const [right, down] = [x - box.x, y - box.y];
          const isInside =
            right >= 0 &&
            down >= 0 &&
            right + options.width <= box.width &&
            down + options.height <= box.height;
          const isOutside =
            right + options.width <= 0 ||
            down + options.height <= 0 ||
            right >= box.width ||
            down >= box.height;
          return (groups.get(id) === name ? isInside : isOutside) ? [] : [`${id} ${name}`];
        });
      });
      expect(misplaced).toEqual([]);
    }),
  );
});
