// The worker thread in which the audit opens records. Decompression takes milliseconds per megabyte, and the process
// may be serving requests.
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadRequest } from './record-reader.ts'
import { rowsOfRecord } from './record-rows.ts'

const port = parentPort!
const { maxRecordBytes } = workerData as { readonly maxRecordBytes: number }

port.on('message', ({ topic, value, timestampMs }: ReadRequest) => {
  const rows = rowsOfRecord(topic, value, timestampMs, maxRecordBytes)
  port.postMessage(rows, [rows.ids.buffer, rows.startsUs.buffer])
})
