const irregular: Readonly<Record<string, string>> = { entity: 'entities', copy: 'copies' }

/** Returns a text such as "1 span", "1,200 dead letters" or "0.5 spans". `shown` is the number as it stands in the text. */
export function counted(count: number, one: string, shown = count.toLocaleString('en-US')): string {
  return `${shown} ${count === 1 ? one : (irregular[one] ?? `${one}s`)}`
}

/** Used as in "1 span waits" and "2 spans wait". */
export const verbFor = (count: number, ofOne: string, ofMany: string): string => (count === 1 ? ofOne : ofMany)
