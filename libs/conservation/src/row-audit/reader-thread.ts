// Reads records in a thread, because decompressing a megabyte takes milliseconds and the process may also serve requests.
import { workerData } from 'node:worker_threads'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import type { ReadRequest } from './record-reader.ts'
import { rowsOfRecord } from './record-rows.ts'

const { maxRecordBytes } = workerData as { readonly maxRecordBytes: number }

serveJobs(({ topic, value, timestampMs }: ReadRequest, port) => {
  const rows = rowsOfRecord(topic, value, timestampMs, maxRecordBytes)
  port.postMessage(rows, [rows.ids.buffer, rows.startsUs.buffer])
})
