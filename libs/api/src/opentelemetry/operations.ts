import { operation } from '../operation.ts'
import { OtelTraceRequest, OtelTraceResponse } from './types.ts'

export const exportTraces = operation({
  id: 'opentelemetry.exportTraces',
  method: 'POST',
  path: '/api/public/otel/v1/traces',
  auth: 'project',
  body: OtelTraceRequest,
  responses: { 200: OtelTraceResponse },
  bucket: 'ingestion',
  servedBy: 'gateway',
  summary: 'Ingest spans by OTLP over HTTP.',
})
