// The ids of the columns of the observations table. The URL's parameter `cols` lists these ids.

const ids = [
  ...(['time', 'name', 'input', 'output', 'latency', 'tokens', 'cost', 'model', 'type', 'level', 'status', 'env', 'user'] as const),
  ...(['session', 'tags', 'traceName', 'release', 'version', 'prompt', 'ttft', 'trace', 'id'] as const),
] as const
export type FixedColumnId = (typeof ids)[number]

export const fixedColumnOf = (field: string): FixedColumnId | undefined => ids.find(each => each === field)
export const defaultColumns: readonly FixedColumnId[] = ['time', 'name', 'input', 'output', 'latency', 'tokens', 'cost', 'model']

// Names are percent-encoded, because the URL separates columns by commas.
export const leafColumnId = (leaf: string): string => `metadata.${encodeURIComponent(leaf)}`
export const scoreColumnId = (score: string): string => `score.${encodeURIComponent(score)}`

export const columnIdsOf = (cols: string | undefined): readonly string[] => cols?.split(',') ?? defaultColumns

export function withColumnToggled(cols: string | undefined, id: string): string {
  const shown = columnIdsOf(cols)
  return (shown.includes(id) ? shown.filter(each => each !== id) : [...shown, id]).join(',')
}
