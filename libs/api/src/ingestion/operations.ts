// Event batches of older SDKs (contract §4.4).
import { maxBatchBytes } from '../fields/limits.ts'
import { operation } from '../operation.ts'
import { IngestionRequest, IngestionResponse } from './types.ts'

export const batch = operation({
  id: 'ingestion.batch',
  method: 'POST',
  path: '/api/public/ingestion',
  auth: 'projectOrPublicKey',
  body: IngestionRequest,
  maxBodyBytes: maxBatchBytes,
  responses: { 207: IngestionResponse },
  family: 'batch',
  bucket: 'ingestion',
  summary: 'Ingest a batch of events of older SDKs. Each event gets a separate result.',
})
