// Finds media references in dataset items. A reference is a text `@@@svcMedia:type=<mime>|id=<id>|source=<source>@@@`.
import { parseStoredJson } from '@svc-server/json'

const itemFields = ['input', 'expectedOutput', 'metadata'] as const
type ItemField = (typeof itemFields)[number]

export interface MediaReference {
  readonly mediaId: string
  readonly field: ItemField
  /** Path of the text in the value: `$`, followed by `['key']` or `[index]` for each level. */
  readonly jsonPath: string
  readonly referenceString: string
}

const begin = '@@@svcMedia:'
const whole = /^@@@svcMedia:([^@]*)@@@$/

/** Returns undefined if the text is not exactly one media reference. */
function mediaIdIn(text: string): string | undefined {
  const fields = whole.exec(text)?.[1]?.split('|') ?? []
  const of = new Map(fields.map(field => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]))
  return ['type', 'id', 'source'].every(name => of.get(name)) ? of.get('id') : undefined
}

function* referencesIn(value: unknown, field: ItemField, jsonPath: string): Generator<MediaReference> {
  if (typeof value === 'string') {
    const mediaId = value.startsWith(begin) ? mediaIdIn(value) : undefined
    if (mediaId !== undefined) yield { mediaId, field, jsonPath, referenceString: value }
  } else if (Array.isArray(value)) {
    for (const [at, element] of value.entries()) yield* referencesIn(element, field, `${jsonPath}[${at}]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* referencesIn(member, field, `${jsonPath}['${key}']`)
  }
}

/** Texts without references are not parsed. */
export function mediaReferencesOf(item: { readonly [Field in ItemField]: string | null }): readonly MediaReference[] {
  return itemFields.flatMap(field => {
    const text = item[field]
    return text?.includes(begin) ? [...referencesIn(parseStoredJson(text), field, '$')] : []
  })
}
