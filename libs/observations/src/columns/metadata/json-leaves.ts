// Converts JSON metadata to leaves, each with a name and a value. The members of an object become leaves with dotted names.
import { TextMap } from '@svc-server/json'
import { isJsonObject, jsonText, numberText, parseJson } from '../../span-view/json-text.ts'
import { isFlattenable } from './flatten.ts'

export function addLeaves(leaves: TextMap<string>, name: string, value: unknown): void {
  if (isJsonObject(value)) for (const [key, child] of Object.entries(value)) addLeaves(leaves, `${name}.${key}`, child)
  else leaves.set(name, leafText(value))
}

const leafText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : (numberText(value) ?? jsonText(value) ?? '')

/** Returns null if the value exceeds the limits, or if it is neither an object nor a list. */
export function leavesOfParsed(parsed: unknown, textBytes: number): TextMap<string> | null {
  if (!(isJsonObject(parsed) || Array.isArray(parsed)) || !isFlattenable(parsed, textBytes)) return null
  const leaves = new TextMap<string>()
  for (const [name, value] of Object.entries(parsed)) addLeaves(leaves, name, value)
  return leaves
}

/** Text that is not JSON becomes one leaf with the given name. */
export function jsonLeaves(name: string, text: string | null): TextMap<string> {
  if (text === null) return new TextMap()
  const parsed = parseJson(text)
  if (parsed === null) return new TextMap()
  return leavesOfParsed(parsed, text.length) ?? new TextMap([[name, typeof parsed === 'string' ? parsed : text]])
}
