// Writes metadata_names, metadata_values and metadata_types. These columns contain all data of a span that no other column contains. Each
// entry is a leaf: a dotted name, a value and a type.
import { ArrayColumn, type BlockBuilder, type ByteSource, LowCardinalityArrayColumn, sourceOf } from '@svc-server/column-store/native'
import { leafType } from '../rules/leaf-type.ts'
import { emptyValue, valueKind } from '../span-view/any-value.ts'
import { deadKey } from '../span-view/attribute-store.ts'
import { droppedOfEvents, droppedOfLinks } from '../span-view/dropped-counts.ts'
import { isJsonObject, parseJson, wireText, writeAscii } from '../span-view/json-text.ts'
import { type KeyTable, systemGroups } from '../span-view/key-table.ts'
import { scratchWriter } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { ColumnWriter } from './column-writer.ts'
import { endOfCharacters, vectorLength } from './metadata/embeddings.ts'
import { estimatedUsageName } from './metadata/estimated.ts'
import { flattenJson, flattenMap, isFlattenable, pushJson } from './metadata/flatten.ts'
import { isJsonNumber } from './metadata/json-number.ts'
import { type LeafSink, pushString, pushText, pushValue } from './metadata/leaf.ts'
import { NameCache } from './metadata/name-cache.ts'
import { SharedLeaves } from './metadata/shared-leaves.ts'
import { removed, UserMetadata } from './metadata/user-metadata.ts'

const groups = { attributes: 'attributes.', resource: 'resourceAttributes.', scope: 'scope.attributes.' } as const

/**
 * Maps each group of system metadata to the index of the group's name in `systemGroups`. If the user's metadata have a value with the name
 * of a group, the value replaces the whole group.
 */
const userGroup = {
  attributes: systemGroups.indexOf('attributes'),
  resource: systemGroups.indexOf('resourceAttributes'),
  scope: systemGroups.indexOf('scope'),
} as const

const scopeName = sourceOf('scope.name')
const scopeVersion = sourceOf('scope.version')

/**
 * Metadata names for the counts of dropped data. These names begin with none of the prefixes in `groups`, so an attribute that is stored
 * under such a prefix never has the same name.
 */
const droppedNames = {
  resource: sourceOf('resource.droppedAttributesCount'),
  scope: sourceOf('scope.droppedAttributesCount'),
  attributes: sourceOf('span.droppedAttributesCount'),
  events: sourceOf('span.droppedEventsCount'),
  links: sourceOf('span.droppedLinksCount'),
  ofEvents: sourceOf('span.events.droppedAttributesCount'),
  ofLinks: sourceOf('span.links.droppedAttributesCount'),
} as const

const estimated = sourceOf(estimatedUsageName)

const unusual = keyFlag.leaves | keyFlag.embeddingVector | keyFlag.embeddingText
const maxEmbeddingTextBytes = 1000

export interface MetadataColumns {
  /** Reads the user's metadata. Other columns can then take values from the metadata until `write` is called. */
  readonly collect: ColumnWriter
  readonly user: UserMetadata
  readonly write: ColumnWriter
  /** A block stores the index of a name instead of the name. Clears the cached indexes, because each index is valid in one block only. */
  startBlock(): void
}

export function metadataColumns(block: BlockBuilder, table: KeyTable): MetadataColumns {
  const nameColumn = block.column('metadata_names', LowCardinalityArrayColumn)
  const valueColumn = block.column('metadata_values', ArrayColumn)
  const typeColumn = block.column('metadata_types', ArrayColumn)
  const names = nameColumn.open(0)
  const sink: LeafSink = { names: names.indexes, values: valueColumn.open(0), types: typeColumn.open(0), count: 0 }
  const path = scratchWriter()
  const read = emptyValue()
  const attributeNames = new NameCache(groups.attributes, names)
  const resourceNames = new NameCache(groups.resource, names)
  const scopeNames = new NameCache(groups.scope, names)
  const userNames = new NameCache('', names)
  const resourceLeaves = new SharedLeaves()
  const scopeLeaves = new SharedLeaves()
  const user = new UserMetadata()

  function write(row: number, span: SpanView): void {
    nameColumn.open(row)
    valueColumn.open(row)
    typeColumn.open(row)
    sink.count = 0
    if (!span.sdkScope && !user.has(userGroup.attributes)) writeAttributes(span)
    if (!user.has(userGroup.resource)) writeResource(span)
    if (!user.has(userGroup.scope)) writeScope(span)
    writeDropped(span)
    if (span.usageIsEstimated) pushString(sink, names.indexOf(estimated, 0, estimated.bytes.length), leafType.boolean, 'true')
    for (let i = 0; i < span.leftOut.size; i++) {
      const entry = span.leftOut.entryAt(i)
      if (span.sdkScope || isLeaving(span, entry)) writeAttribute(span, entry)
    }
    for (let i = 0; i < user.length; i++) if (user.names[i] !== removed) writeUser(span, i)
    nameColumn.added(sink.count)
    valueColumn.added(sink.count)
    typeColumn.added(sink.count)
  }

  const isLeaving = (span: SpanView, entry: number) => (span.attributes.flags[entry]! & keyFlag.leaves) !== 0

  function writeAttributes(span: SpanView): void {
    const { attributes } = span
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if (attributes.keys[entry] === deadKey) continue
      const flags = attributes.flags[entry]!
      if ((flags & unusual) === 0) writeAttribute(span, entry)
      else if ((flags & keyFlag.leaves) === 0) writeEmbedding(span, entry, flags)
    }
  }

  function writeAttribute(span: SpanView, entry: number): void {
    const rest = span.moved.size === 0 ? undefined : span.moved.get(entry)
    if (rest === undefined) writeEntry(sink, span, entry, attributeNames)
    else if (rest !== null) pushString(sink, attributeNames.indexOf(table.keys, span.attributes.keys[entry]!), leafType.text, rest)
  }

  /** Writes only a vector's length, or the beginning of a text. A complete embedding would take most of the row, and no search uses it. */
  function writeEmbedding(span: SpanView, entry: number, flags: number): void {
    const { attributes, source } = span
    const value = attributes.value(entry)
    if ((flags & keyFlag.embeddingVector) !== 0) {
      const length = vectorLength(source, value)
      if (length === undefined) {
        writeAttribute(span, entry)
        return
      }
      span.losses.add('embedding_vector')
      attributeNames.writePath(path, table.keys, attributes.keys[entry]!)
      writeAscii(path, '.length')
      pushString(sink, names.indexOf(path, 0, path.length), leafType.number, String(length))
      return
    }
    const end = value.kind === valueKind.text ? endOfCharacters(source.bytes, value.start, value.end, maxEmbeddingTextBytes) : value.end
    if (end === value.end) {
      writeAttribute(span, entry)
      return
    }
    span.losses.add('embedding_text')
    const text = `${wireText(source, value.start, end)}…`
    pushString(sink, attributeNames.indexOf(table.keys, attributes.keys[entry]!), leafType.text, text)
  }

  function writeEntry(to: LeafSink, span: SpanView, entry: number, cache: NameCache): void {
    const { attributes, source } = span
    const key = attributes.keys[entry]!
    if (attributes.kinds[entry] === valueKind.text) {
      pushText(to, cache.indexOf(table.keys, key), leafType.text, source, attributes.starts[entry]!, attributes.ends[entry]!)
      return
    }
    const value = attributes.valueIn(read, entry)
    if (value.kind !== valueKind.map) {
      pushValue(to, cache.indexOf(table.keys, key), source, value)
      return
    }
    cache.writePath(path, table.keys, key)
    flattenMap(to, names, path, source, value)
  }

  function writeResource(span: SpanView): void {
    if (resourceLeaves.generation !== span.resourceGeneration) {
      resourceLeaves.restart(span.resourceGeneration)
      writeEntries(resourceLeaves, span, 0, span.resourceCount, resourceNames)
      pushDropped(resourceLeaves, droppedNames.resource, span.dropped.resource)
    }
    resourceLeaves.appendTo(sink)
  }

  function writeScope(span: SpanView): void {
    if (scopeLeaves.generation !== span.scopeGeneration) {
      scopeLeaves.restart(span.scopeGeneration)
      const { source } = span
      if (span.scopeNameEnd > span.scopeNameStart) {
        const index = names.indexOf(scopeName, 0, scopeName.bytes.length)
        pushText(scopeLeaves, index, leafType.text, span.scopeNameSource, span.scopeNameStart, span.scopeNameEnd)
      }
      if (span.scopeVersionEnd > span.scopeVersionStart) {
        const index = names.indexOf(scopeVersion, 0, scopeVersion.bytes.length)
        pushText(scopeLeaves, index, leafType.text, source, span.scopeVersionStart, span.scopeVersionEnd)
      }
      writeEntries(scopeLeaves, span, span.resourceCount, span.ownFrom, scopeNames)
      pushDropped(scopeLeaves, droppedNames.scope, span.dropped.scope)
    }
    scopeLeaves.appendTo(sink)
  }

  function writeDropped({ dropped, events, links, source }: SpanView): void {
    pushDropped(sink, droppedNames.attributes, dropped.attributes)
    pushDropped(sink, droppedNames.events, dropped.events)
    pushDropped(sink, droppedNames.links, dropped.links)
    if (events.length > 0) pushDropped(sink, droppedNames.ofEvents, droppedOfEvents(source, events))
    if (links.length > 0) pushDropped(sink, droppedNames.ofLinks, droppedOfLinks(source, links))
  }

  function pushDropped(to: LeafSink, name: ByteSource, count: number): void {
    if (count > 0) pushString(to, names.indexOf(name, 0, name.bytes.length), leafType.number, String(count))
  }

  function writeEntries(to: LeafSink, span: SpanView, from: number, until: number, cache: NameCache): void {
    for (let entry = from; entry < until; entry++) {
      if (span.attributes.keys[entry] !== deadKey) writeEntry(to, span, entry, cache)
    }
  }

  function writeUser(span: SpanView, i: number): void {
    const name = user.names[i]!
    const entry = user.entries[i]!
    if (entry < 0) {
      writeUserValue(name, user.values[i])
      return
    }
    const { attributes, source } = span
    const value = attributes.valueIn(read, entry)
    if (value.kind === valueKind.text) writeUserText(span, name, value.start, value.end)
    else if (value.kind === valueKind.map) {
      userNames.writePath(path, table.metadataNames, name)
      flattenMap(sink, names, path, source, value)
    } else pushValue(sink, userNames.indexOf(table.metadataNames, name), source, value)
  }

  function writeUserValue(name: number, value: unknown): void {
    if (!isJsonObject(value)) {
      pushJson(sink, userNames.indexOf(table.metadataNames, name), value)
      return
    }
    userNames.writePath(path, table.metadataNames, name)
    flattenJson(sink, names, path, value)
  }

  /**
   * Only the newest SDKs send every metadata value as JSON. In values of other SDKs, a number or boolean cannot be distinguished from a
   * text, so only objects and lists are recognized as JSON.
   */
  function writeUserText(span: SpanView, name: number, start: number, end: number): void {
    const { source } = span
    const { bytes } = source
    const index = userNames.indexOf(table.metadataNames, name)
    const first = start < end ? bytes[start]! : 0
    if (first === 0x7b || first === 0x5b || (first === 0x22 && span.jsonMetadata)) {
      writeUserJson(span, name, start, end)
    } else if (!span.jsonMetadata) pushText(sink, index, leafType.text, source, start, end)
    else if (isJsonNumber(bytes, start, end)) pushText(sink, index, leafType.number, source, start, end)
    else {
      const word = end - start <= 5 ? wireText(source, start, end) : ''
      if (word === 'true' || word === 'false') pushString(sink, index, leafType.boolean, word)
      else if (word === 'null') pushString(sink, index, leafType.null, '')
      else pushText(sink, index, leafType.text, source, start, end)
    }
  }

  function writeUserJson(span: SpanView, name: number, start: number, end: number): void {
    const { source } = span
    const { bytes } = source
    const index = userNames.indexOf(table.metadataNames, name)
    if (bytes[start] === 0x22) {
      const closed = end - start >= 2 && bytes[end - 1] === 0x22
      if (closed && !hasEscape(bytes, start + 1, end - 1)) {
        pushText(sink, index, leafType.text, source, start + 1, end - 1)
        return
      }
      const text = parseJson(wireText(source, start, end))
      if (typeof text === 'string') pushString(sink, index, leafType.text, text)
      else pushText(sink, index, leafType.text, source, start, end)
      return
    }
    const parsed = parseJson(wireText(source, start, end))
    if (isJsonObject(parsed) && isFlattenable(parsed, end - start)) writeUserValue(name, parsed)
    // A list stays as the client wrote it. An object that is nested too deeply also stays unchanged.
    else pushText(sink, index, typeof parsed === 'object' ? leafType.json : leafType.text, source, start, end)
  }

  return {
    collect: (_row, span) => user.collect(span),
    user,
    write,
    startBlock() {
      attributeNames.clear()
      resourceNames.clear()
      scopeNames.clear()
      userNames.clear()
    },
  }
}

/** True if the text contains a backslash or an inner quote. */
function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === 0x5c || bytes[i] === 0x22) return true
  return false
}
