// The thread in which the audit opens records: decompression takes milliseconds a megabyte, and its process
// may serve requests.
import { parentPort, workerData } from 'node:worker_threads'
import { topicNames } from '@svc-server/modes/names'
import type { ReadRequest } from './record-reader.ts'
import { type RecordRows, rowOfScore, rowsOfRecord } from './record-rows.ts'

const port = parentPort!
const { maxRecordBytes } = workerData as { readonly maxRecordBytes: number }

port.on('message', ({ topic, value, timestampMs }: ReadRequest) => {
  const isScore = topic === topicNames.scores
  const rows: RecordRows = isScore ? rowOfScore(value, timestampMs) : rowsOfRecord(value, timestampMs, maxRecordBytes)
  port.postMessage(rows, [rows.ids.buffer, rows.startsUs.buffer])
})
