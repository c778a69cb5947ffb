/** Places for the boxes and arrows of a directed graph, from left to right. */
import type { GraphLabel } from '@dagrejs/dagre';

interface Graph {
  readonly nodes: readonly { readonly id: string; readonly width: number; readonly height: number }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

export interface Laid {
  readonly width: number;
  readonly height: number;
  /** By their centres. */
  readonly nodes: readonly { readonly id: string; readonly x: number; readonly y: number }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly path: string;
    readonly x: number;
    readonly y: number;
  }[];
}

const LABEL_PX_PER_CHARACTER = 6.2;

/** The library is loaded with the first graph. */
export async function layout({ nodes, edges }: Graph): Promise<Laid> {
  const { Graph: DagreGraph, layout: place } = await import('@dagrejs/dagre');
  const graph = new DagreGraph();
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 44, edgesep: 10, marginx: 4, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { from, to, label } of edges)
    graph.setEdge(from, to, { label, width: label.length * LABEL_PX_PER_CHARACTER, height: 14, labelpos: 'c' });
  place(graph);
  const { width = 0, height = 0 } = graph.graph() as GraphLabel;
  return {
    width,
    height,
    nodes: nodes.map(({ id }) => {
      const { x, y } = graph.node(id) as { x: number; y: number };
      return { id, x, y };
    }),
    edges: edges.map(({ from, to, label }) => {
      const edge = graph.edge(from, to) as { points: { x: number; y: number }[]; x?: number; y?: number };
      const middle = edge.points[Math.floor(edge.points.length / 2)]!;
      return { from, to, label, path: pathThrough(edge.points), x: edge.x ?? middle.x, y: edge.y ?? middle.y };
    }),
  };
}

/** A smooth line: through the middle of each piece, bent at the points. */
function pathThrough(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1)!;
  const bends = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1]!;
    const [x, y] = at === rest.length - 2 ? [last.x, last.y] : [(point.x + next.x) / 2, (point.y + next.y) / 2];
    return `Q${point.x} ${point.y} ${x} ${y}`;
  });
  return `M${first!.x} ${first!.y}${bends.length > 0 ? bends.join('') : `L${last.x} ${last.y}`}`;
}
