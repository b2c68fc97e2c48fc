// Reads a stored mapping: the parts of an observation that fill the variables of a prompt. The mapping has the form of this release or of
// v3.

export interface Mapping {
  readonly variable: string
  readonly source: string | null
  readonly jsonPath?: string
}

/** A mapping in v3's form. It can fill the prompt's variable from an object other than the evaluated observation (`svcObject`). */
export interface LegacyMapping {
  readonly mappingType: 'legacy'
  readonly variable: string
  readonly svcObject: LegacyObject
  readonly objectName: string | null
  readonly source: string
  readonly jsonPath?: string
}

const legacyObjects = [
  ...(['trace', 'span', 'generation', 'event', 'agent', 'tool'] as const),
  ...(['chain', 'retriever', 'evaluator', 'embedding', 'guardrail', 'dataset_item'] as const),
]
type LegacyObject = (typeof legacyObjects)[number]

type Stored = Readonly<Record<string, unknown>>

const textOr = <Other>(value: unknown, other: Other): string | Other => (typeof value === 'string' ? value : other)

function readMapping(stored: Stored): Mapping | LegacyMapping {
  const path = textOr(stored['jsonPath'] ?? stored['jsonSelector'], '')
  const jsonPath = path === '' ? {} : { jsonPath: path }
  if (typeof stored['templateVariable'] !== 'string')
    return { variable: String(stored['variable']), source: textOr(stored['source'], null), ...jsonPath }
  // v3 stores the kind of object, such as `trace`, in a property whose name consists of v3's brand and `Object`.
  const [, object] = Object.entries(stored).find(([name]) => name.endsWith('Object')) ?? []
  return {
    mappingType: 'legacy',
    variable: stored['templateVariable'],
    svcObject: legacyObjects.find(each => each === object) ?? 'trace',
    objectName: textOr(stored['objectName'], null),
    source: textOr(stored['selectedColumnId'], ''),
    ...jsonPath,
  }
}

/** Null if no mapping is stored. */
export function readMappings(json: unknown): readonly (Mapping | LegacyMapping)[] | null {
  if (!Array.isArray(json)) return null
  return json.filter((each): each is Stored => typeof each === 'object' && each !== null).map(readMapping)
}
