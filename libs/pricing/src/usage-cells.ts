// The parts of a usage: wholes and their parts. Usage keys of rows are names of these cells, so that all dialects use the same
// name for the same tokens.

/** Maximum count that the column can hold. */
export const maxUsage = 2n ** 64n - 1n

export const modalities = ['text', 'audio', 'image', 'video', 'document'] as const

const ofModalities = (side: string): readonly string[] => modalities.map(modality => `${side}_${modality}_tokens`)

/** In display order. `input_uncached` is the input without cached tokens: it helps to derive the input and is never a row's key. */
export const usageCells: readonly string[] = [
  'input',
  'output',
  'total',
  'input_cached_tokens',
  'input_cache_creation',
  'input_cache_creation_5m',
  'input_cache_creation_1h',
  'output_reasoning_tokens',
  ...ofModalities('output'),
  ...ofModalities('input'),
  ...ofModalities('input_cached'),
  'output_accepted_prediction_tokens',
  'output_rejected_prediction_tokens',
  'input_tool_tokens',
  'input_uncached',
]

const places = new Map(usageCells.map((name, place) => [name, place]))

/** The position of a cell in the list; throws for an unknown name. */
export function cellOf(name: string): number {
  const place = places.get(name)
  if (place === undefined) throw new Error(`${name} is no cell of a usage.`)
  return place
}

export const cell = {
  input: cellOf('input'),
  output: cellOf('output'),
  total: cellOf('total'),
  cached: cellOf('input_cached_tokens'),
  written: cellOf('input_cache_creation'),
  written5m: cellOf('input_cache_creation_5m'),
  written1h: cellOf('input_cache_creation_1h'),
  reasoning: cellOf('output_reasoning_tokens'),
  accepted: cellOf('output_accepted_prediction_tokens'),
  rejected: cellOf('output_rejected_prediction_tokens'),
  tool: cellOf('input_tool_tokens'),
  uncached: cellOf('input_uncached'),
} as const

/** The cell of each modality on this side, in the order of `modalities`. */
export const cellsOfModalities = (side: 'input' | 'input_cached' | 'output'): readonly number[] => ofModalities(side).map(cellOf)

/** The unexplained rest of a sum of reported counts. It has no price. */
export const unexplained = 'other'

const parents = new Map<string, string>()
for (const name of usageCells) {
  if (name.startsWith('input_cached_') && name !== 'input_cached_tokens') parents.set(name, 'input_cached_tokens')
  else if (name.startsWith('input_cache_creation_')) parents.set(name, 'input_cache_creation')
  else if (name.startsWith('input_')) parents.set(name, 'input')
  else if (name.startsWith('output_')) parents.set(name, 'output')
}

/** The whole that contains the part and provides its price when the part has none. */
export const parentOf = (name: string): string | undefined => parents.get(name)
