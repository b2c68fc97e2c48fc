// Reads an attribute about the trace, and returns the value that the attribute's column stores. The propagator uses the same code, so that
// its values are the same.
import { valueKind } from '../span-view/any-value.ts'
import type { Content } from '../span-view/content.ts'
import { parseJson, wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'

const metadataFlags = keyFlag.observationMetadata | keyFlag.traceMetadata

/** The newest SDKs encode attributes about the trace as JSON. For example, they send the user id `u` as `"u"`, with quotes. */
const isJsonEncoded = ({ attributes, jsonMetadata }: SpanView, entry: number): boolean =>
  jsonMetadata && attributes.kinds[entry] === valueKind.text && (attributes.flags[entry]! & metadataFlags) !== 0

/** Returns undefined if the text is not encoded. */
export function decodedText(span: SpanView, entry: number): string | undefined {
  if (!isJsonEncoded(span, entry)) return undefined
  const { starts, ends } = span.attributes
  const parsed = parseJson(wireText(span.source, starts[entry]!, ends[entry]!))
  return typeof parsed === 'string' ? parsed : undefined
}

export function readTraceText(into: Content, span: SpanView, entry: number): void {
  const decoded = decodedText(span, entry)
  if (decoded === undefined) into.attribute(span, entry)
  else into.string(decoded)
}
