// The thread in which the audit opens records: decompression takes milliseconds a megabyte, and its process may serve requests.
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadAnswer, ReadRequest } from './record-reader.ts'
import { rowsOfRecord } from './record-rows.ts'

const port = parentPort!
const { maxRecordBytes } = workerData as { readonly maxRecordBytes: number }

port.on('message', ({ id, value, timestampMs }: ReadRequest) => {
  const rows = rowsOfRecord(value, timestampMs, maxRecordBytes)
  port.postMessage({ id, rows } satisfies ReadAnswer, [rows.ids.buffer, rows.startsUs.buffer])
})
