// Formats counts in sentences with the right singular or plural.

const irregular: Readonly<Record<string, string>> = { entity: 'entities', copy: 'copies' }

/** Returns a number with its noun: "1 span", "1,200 dead letters", "0.5 spans". `shown` replaces the text of the number. */
export function counted(count: number, one: string, shown = count.toLocaleString('en-US')): string {
  return `${shown} ${count === 1 ? one : (irregular[one] ?? `${one}s`)}`
}

/** Returns the matching form of a verb: "1 span waits" and "2 spans wait". */
export const verbFor = (count: number, ofOne: string, ofMany: string): string => (count === 1 ? ofOne : ofMany)
