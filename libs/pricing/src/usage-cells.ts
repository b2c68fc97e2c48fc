// A cell has one token count: a whole, such as input or output, or a part of a whole, such as cached input. The usage map of a
// row uses the names of cells as keys, so each kind of tokens has the same key for every instrumentation.

/** The highest count that the usage column can store. */
export const maxUsage = 2n ** 64n - 1n

export const modalities = ['text', 'audio', 'image', 'video', 'document'] as const

const ofModalities = (side: string): readonly string[] => modalities.map(modality => `${side}_${modality}_tokens`)

/**
 * The names of all cells, in display order. `input_uncached` is the input without cached tokens. If a span reports `input_uncached` but not
 * `input`, the code derives `input` from `input_uncached`. The usage maps that are stored in rows never have the key `input_uncached`.
 */
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

/** Returns the position of a cell in the list. Throws for an unknown name. */
export function cellOf(name: string): number {
  const place = places.get(name)
  if (place === undefined) throw new Error(`${name} is not a usage cell.`)
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

/** Returns the cells of the modalities, in the order of `modalities`. */
export const cellsOfModalities = (side: 'input' | 'input_cached' | 'output'): readonly number[] => ofModalities(side).map(cellOf)

/** Key for the tokens that are in the reported total, but in no other reported count. These tokens have no price. */
export const unexplained = 'other'

const parents = new Map<string, string>()
for (const name of usageCells) {
  if (name.startsWith('input_cached_') && name !== 'input_cached_tokens') parents.set(name, 'input_cached_tokens')
  else if (name.startsWith('input_cache_creation_')) parents.set(name, 'input_cache_creation')
  else if (name.startsWith('input_')) parents.set(name, 'input')
  else if (name.startsWith('output_')) parents.set(name, 'output')
}

/**
 * If a usage name counts a part, such as `input_tool_tokens`, returns the name of the whole, such as `input`. A part without a price has
 * the price of the whole.
 */
export const parentOf = (name: string): string | undefined => parents.get(name)
