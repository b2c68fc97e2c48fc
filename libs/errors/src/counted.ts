// Numbers in sentences for people: one of a thing is not some of them.

const irregular: Readonly<Record<string, string>> = { entity: 'entities', copy: 'copies' }

/** A number with its thing in the right form: "1 span", "1,200 dead letters", "0.5 spans". `shown`: the number as it is to stand there. */
export function counted(count: number, one: string, shown = count.toLocaleString('en-US')): string {
  return `${shown} ${count === 1 ? one : (irregular[one] ?? `${one}s`)}`
}

/** The verb behind it: "1 span waits" and "2 spans wait". */
export const verbFor = (count: number, ofOne: string, ofMany: string): string => (count === 1 ? ofOne : ofMany)
