// An encoding thread that dies at its first job or at every job. The thread writes a marker file when it dies. The next thread finds the
// file and knows that a thread has already died.
import { existsSync, writeFileSync } from 'node:fs'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import { type EncodeAnswer, type EncodeRequest, unpackRecords } from '../src/encode/messages.ts'

let catalogVersion: string | undefined

serveJobs(({ records, catalog }: EncodeRequest, port) => {
  const [first] = unpackRecords(records)
  const { marker, always } = JSON.parse(Buffer.from(first!.value).toString()) as { marker: string; always: boolean }
  if (always || !existsSync(marker)) {
    writeFileSync(marker, '')
    process.exit(3)
  }
  if (catalog?.snapshot !== undefined) catalogVersion = catalog.version
  if (catalog?.version !== catalogVersion) return port.postMessage({ kind: 'no catalog' } satisfies EncodeAnswer)
  port.postMessage({ kind: 'result', result: { hash: `survived with ${catalogVersion ?? 'no catalog'}`, body: [] } })
})
