// This process appends until the disk is full. It then reports the number of acknowledged records, the errors of the
// refused appends, and the number of records that it can still read.
import { isAppError } from '@svc-server/errors'
import { openEmbeddedLog } from '../../src/embedded/log.ts'

const topic = { name: 'spans', partitions: 1, cleanup: 'delete', retentionMs: 3_600_000, maxRecordBytes: 1 << 20, readers: [] } as const
const log = await openEmbeddedLog({ directory: process.argv[2]!, topics: [topic] })
let acknowledged = 0
const refused: string[] = []
while (refused.length < 5) {
  try {
    await log.append('spans', [{ key: null, value: Buffer.from(`${acknowledged}`.padEnd(300_000)) }])
    acknowledged++
  } catch (error) {
    refused.push(isAppError(error) ? error.code : String(error))
  }
}
let recovered = 0
while (recovered < acknowledged) recovered += (await log.read('spans', 0, recovered, 1 << 20)).records.length
await log.close()
console.log(JSON.stringify({ acknowledged, refused, recovered }))
