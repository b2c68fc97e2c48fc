// An invalid value is left out with one warning, and valid values are still propagated.
import { getGlobalLogger } from '../logging/logger.ts'
import { isEnvironment } from './keys.ts'

const maxLength = 200

const warn = (name: string, why: string): void => getGlobalLogger().warn(`The propagated attribute ${name} is left out: ${why}.`)

export function validText(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') {
    warn(name, `it must be a string, and is of type ${typeof value}`)
    return undefined
  }
  if (value.length > maxLength) {
    warn(name, `it has ${value.length} characters, and at most ${maxLength} are allowed`)
    return undefined
  }
  return value
}

export function validEnvironment(value: unknown): string | undefined {
  if (isEnvironment(value)) return value
  const rule = 'it must have 1 to 40 lower-case letters, digits, hyphens or underscores, and must not begin with svc'
  warn('environment', typeof value === 'string' ? rule : `${rule}; it is of type ${typeof value}`)
  return undefined
}

export function validTags(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) {
    warn('tags', 'they must be an array of strings')
    return []
  }
  return tags.flatMap(tag => validText('tag', tag) ?? [])
}

function strictly(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`a ${typeof value}`)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(String(value))
  return value
}

/** Texts stay unchanged, and other values become compact JSON. */
function metadataText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return value.toString()
  try {
    return JSON.stringify(value, strictly)
  } catch {
    return undefined
  }
}

/** Leaves out values that cannot be written as JSON, and values that are too long. */
export function validMetadata(metadata: unknown): Readonly<Record<string, string>> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    warn('metadata', 'it must be an object')
    return {}
  }
  const texts: Record<string, string> = {}
  for (const [key, value] of Object.entries(metadata)) {
    const text = metadataText(value)
    if (text === undefined) warn(`metadata.${key}`, 'it is not JSON-serializable')
    else if (validText(`metadata.${key}`, text) !== undefined) texts[key] = text
  }
  return texts
}

export interface ValidPrompt {
  readonly name: string
  readonly version: number
}

export function validPrompt(prompt: { name?: unknown; version?: unknown; isFallback?: unknown }): ValidPrompt | undefined {
  if (prompt.isFallback) {
    getGlobalLogger().debug('A fallback prompt is not linked to the observation, because the server does not know this prompt.')
    return undefined
  }
  const { name, version } = prompt
  if (typeof name !== 'string' || name === '') {
    warn('prompt', 'its name must be a non-empty string')
    return undefined
  }
  const number = typeof version === 'string' && /^\d+$/.test(version) ? Number(version) : version
  if (typeof number !== 'number' || !Number.isInteger(number)) {
    warn('prompt', 'its version must be an integer')
    return undefined
  }
  return { name, version: number }
}
