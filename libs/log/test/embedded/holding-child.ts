import { openLog } from './open-log.ts'

await openLog(process.argv[2]!, [
  { name: 'spans', partitions: 1, cleanup: 'delete', retentionMs: 3_600_000, maxRecordBytes: 1 << 20, readers: [] },
])
console.log('open')
setInterval(() => {}, 60_000)
