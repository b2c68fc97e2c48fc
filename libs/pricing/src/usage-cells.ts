// What a usage is made of: wholes, their parts, and what each part is a part of. A row's usage keys are names
// of these cells, so that no two dialects call the same tokens by two names.

/** What the column can hold of a count. */
export const maxUsage = 2n ** 64n - 1n

export const modalities = ['text', 'audio', 'image', 'video', 'document'] as const

const ofModalities = (side: string): readonly string[] => modalities.map(modality => `${side}_${modality}_tokens`)

/**
 * In the order in which a row shows them. `input_uncached` is what is left of the input: it says what the
 * input is, and is never a key of a row.
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

/** The place of a cell in the list; throws for a name that is none. */
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

/** Of each modality its cell on this side, in the order of `modalities`. */
export const cellsOfModalities = (side: 'input' | 'input_cached' | 'output'): readonly number[] => ofModalities(side).map(cellOf)

/** What a sum of said counts holds that nothing explains. It has no price. */
export const unexplained = 'other'

const parents = new Map<string, string>()
for (const name of usageCells) {
  if (name.startsWith('input_cached_') && name !== 'input_cached_tokens') parents.set(name, 'input_cached_tokens')
  else if (name.startsWith('input_cache_creation_')) parents.set(name, 'input_cache_creation')
  else if (name.startsWith('input_')) parents.set(name, 'input')
  else if (name.startsWith('output_')) parents.set(name, 'output')
}

/** What a part is a part of, and what it costs like where it has no price of its own. */
export const parentOf = (name: string): string | undefined => parents.get(name)
