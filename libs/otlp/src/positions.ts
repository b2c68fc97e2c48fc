// Positions of the spans in a scanned request, as numbers (20 bytes per span). With these positions, other code can divide the request
// without reading it again.

/**
 * The table `spans` has `spanStride` numbers for each span. The tables `scopes` and `resources` have `scopeStride` numbers for each scope,
 * and `resourceStride` numbers for each resource. Scopes and resources without spans are not in the tables.
 */
const spanStride = 5
const scopeStride = 5
const resourceStride = 3

export interface Positions {
  readonly spans: Uint32Array
  readonly scopes: Uint32Array
  readonly resources: Uint32Array
}

export const spanTagAt = ({ spans }: Positions, index: number): number => spans[index * spanStride]!
export const spanEnd = ({ spans }: Positions, index: number): number => spans[index * spanStride + 1]!
/** Meaningful only for accepted spans. */
export const spanTraceIdAt = ({ spans }: Positions, index: number): number => spans[index * spanStride + 2]!
export const spanScope = ({ spans }: Positions, index: number): number => spans[index * spanStride + 3]!
/** Units of work of the span alone; 0 if the request was too small to be measured. */
export const spanWork = ({ spans }: Positions, index: number): number => spans[index * spanStride + 4]!
export const scopeStart = ({ scopes }: Positions, scope: number): number => scopes[scope * scopeStride]!
export const scopeEnd = ({ scopes }: Positions, scope: number): number => scopes[scope * scopeStride + 1]!
export const scopeResource = ({ scopes }: Positions, scope: number): number => scopes[scope * scopeStride + 2]!
/** Bytes of the scope and its resource. Every row of the scope repeats these bytes. */
export const scopeSharedBytes = ({ scopes }: Positions, scope: number): number => scopes[scope * scopeStride + 3]!
export const scopeWork = ({ scopes }: Positions, scope: number): number => scopes[scope * scopeStride + 4]!
export const resourceStart = ({ resources }: Positions, resource: number): number => resources[resource * resourceStride]!
export const resourceEnd = ({ resources }: Positions, resource: number): number => resources[resource * resourceStride + 1]!
export const resourceWork = ({ resources }: Positions, resource: number): number => resources[resource * resourceStride + 2]!

/** Callers add entries in wire order: each resource before its scopes, and each scope before its spans. */
export const createPositions = () => {
  let spanCount = 0
  let scopeCount = 0
  let resourceCount = 0
  const tables = {
    spans: new Uint32Array(128 * spanStride),
    scopes: new Uint32Array(4 * scopeStride),
    resources: new Uint32Array(4 * resourceStride),
    addResource(start: number, end: number, work: number): void {
      if (resourceCount * resourceStride === tables.resources.length) tables.resources = doubled(tables.resources)
      tables.resources[resourceCount * resourceStride] = start
      tables.resources[resourceCount * resourceStride + 1] = end
      tables.resources[resourceCount * resourceStride + 2] = work
      resourceCount++
    },
    addScope(start: number, end: number, sharedBytes: number, work: number): void {
      const at = scopeCount * scopeStride
      if (at === tables.scopes.length) tables.scopes = doubled(tables.scopes)
      tables.scopes[at] = start
      tables.scopes[at + 1] = end
      tables.scopes[at + 2] = resourceCount - 1
      tables.scopes[at + 3] = sharedBytes
      tables.scopes[at + 4] = work
      scopeCount++
    },
    addSpan(tagAt: number, end: number, traceIdAt: number, work: number): void {
      const at = spanCount * spanStride
      if (at === tables.spans.length) tables.spans = doubled(tables.spans)
      tables.spans[at] = tagAt
      tables.spans[at + 1] = end
      tables.spans[at + 2] = traceIdAt
      tables.spans[at + 3] = scopeCount - 1
      tables.spans[at + 4] = work
      spanCount++
    },
  }
  return tables
}

const doubled = (table: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(table.length * 2)
  larger.set(table)
  return larger
}
