import type { JsonWarning } from '../src/json/scalars.ts'
import { transcodeJsonRequest } from '../src/json/transcode.ts'
import { scanTraceRequest } from '../src/scan.ts'
import { decodeRequest, type Json } from './oracle.ts'
import { options } from './requests.ts'

export const transcode = (json: string | Uint8Array, warnings: JsonWarning[] = []) =>
  transcodeJsonRequest(typeof json === 'string' ? Buffer.from(json) : json, { onWarning: warning => warnings.push(warning) })
export const ids = '"traceId":"abababababababababababababababab","spanId":"cdcdcdcdcdcdcdcd"'
export const requestText = (...spans: string[]) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(',')}]}]}]}`
export const spansOf = (json: string, warnings: JsonWarning[] = []): Json[] => {
  const decoded = decodeRequest(transcode(json, warnings)) as { resourceSpans: { scopeSpans: { spans: Json[] }[] }[] }
  return decoded.resourceSpans[0]!.scopeSpans[0]!.spans
}
export const spanOf = (fields: string, warnings: JsonWarning[] = []): Json =>
  spansOf(requestText(`{${ids}${fields && `,${fields}`}}`), warnings)[0]!
export const anyValueOf = (value: string): unknown => {
  const [attribute] = spanOf(`"attributes":[{"key":"k","value":${value}}]`)['attributes'] as { value?: unknown }[]
  return attribute?.value
}
export const rejectionsOf = (...spans: string[]) => scanTraceRequest(transcode(requestText(...spans)), options).rejected
export const rejectionOf = (fields: string) => rejectionsOf(`{${ids},${fields}}`)[0]
export const ns = (iso: string) => `${Date.parse(iso)}000000`
