// Packs many texts into one string, because a worker sends one string faster than a list of strings.

export interface Packed {
  readonly text: string
  /** For each of the packed texts, the position in `text` at which the packed text ends. */
  readonly ends: Int32Array
}

export function pack(texts: readonly string[]): Packed {
  const ends = new Int32Array(texts.length)
  let at = 0
  for (let index = 0; index < texts.length; index++) ends[index] = at += texts[index]!.length
  return { text: texts.join(''), ends }
}

export const textAt = ({ text, ends }: Packed, index: number): string => text.slice(index === 0 ? 0 : ends[index - 1]!, ends[index]!)

export const unpack = (packed: Packed): string[] => Array.from(packed.ends, (_, index) => textAt(packed, index))
