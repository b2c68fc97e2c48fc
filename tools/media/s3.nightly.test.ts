// Tests the blob store with the S3-compatible store of docker-compose.yml. The tests send bytes through `S3Blobs` and to signed URLs.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Blobs, type S3Blobs } from '../../libs/blob-store/src/s3.ts'
import { conformance, factsOf } from '../../libs/blob-store/test/conformance.ts'
import { type GuardedProcess, spawnGuarded } from '../../libs/dev-servers/src/guarded-process.ts'
import { freePort, temporaryDirectory } from '../../libs/dev-servers/src/index.ts'
import { ensureProgram } from '../programs/programs.ts'

const credentials = { accessKeyId: 'svc', secretAccessKey: 'a-secret-of-the-store' }
const bucket = 'media'

describe('in a bucket', () => {
  let server: GuardedProcess
  let blobs: S3Blobs
  let endpoint: string
  const open = (bucket: string) => createS3Blobs({ bucket, region: 'us-east-1', endpoint, credentials, forcePathStyle: true })
  beforeAll(async () => {
    const directory = await temporaryDirectory('svc-s3-')
    const [data, sidecar, logFile] = ['data', 'sidecar', 'log'].map(name => join(directory.path, name)) as [string, string, string]
    for (const folder of [data, sidecar]) mkdirSync(folder)
    writeFileSync(logFile, '')
    const port = `127.0.0.1:${await freePort()}`
    endpoint = `http://${port}`
    const { accessKeyId, secretAccessKey } = credentials
    const access = ['--access', accessKeyId, '--secret', secretAccessKey, '--port', port]
    server = await spawnGuarded({
      what: 'the store of blobs',
      command: [await ensureProgram('versitygw'), ...access, 'posix', '--sidecar', sidecar, data],
      ...{ logFile, readyLine: 'S3 service listening', orphanSignal: 'KILL' },
    })
    await server.ready()
    blobs = open(bucket)
    // In the second call, the bucket already exists.
    for (let n = 0; n < 2; n++) await blobs.ensureBucket()
  }, 1_500_000)
  afterAll(async () => {
    blobs.close()
    server.signal('SIGTERM')
    await server.ended()
  })

  conformance(() => blobs)

  const content = Buffer.alloc(200_000, 'of the client ')
  const facts = factsOf(content)
  const headers = { 'content-type': facts.contentType, 'x-amz-checksum-sha256': facts.sha256Hash, 'x-ms-blob-type': 'BlockBlob' }
  const put = (url: string, body: Buffer, own: Readonly<Record<string, string>> = headers) =>
    fetch(url, { method: 'PUT', body: new Uint8Array(body), headers: own })

  test('a signed URL takes the bytes as published SDKs send them, and gives them back with their type', async () => {
    const url = await blobs.signed!.put('p/direct.png', facts, 3600)
    expect((await put(url, content)).status).toBe(200)
    expect(await blobs.facts('p/direct.png')).toEqual({ contentLength: content.length, sha256Hash: facts.sha256Hash })
    const got = await fetch(await blobs.signed!.get('p/direct.png', facts, 60))
    expect([got.status, got.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true)
  })

  test('a signed URL takes no other bytes, no other type, and nothing without the checksum', async () => {
    const url = await blobs.signed!.put('p/refused.png', facts, 3600)
    const altered = Buffer.from(content)
    altered[0]! ^= 1
    const other = factsOf(altered)
    const { 'x-amz-checksum-sha256': _, ...unchecked } = headers
    for (const [body, own] of [
      [altered, headers],
      [altered, { ...headers, 'x-amz-checksum-sha256': other.sha256Hash }],
      [content.subarray(1), headers],
      [content, { ...headers, 'content-type': 'text/html' }],
      [content, unchecked],
    ] as const)
      expect((await put(url, body, own)).status).toBeGreaterThanOrEqual(400)
    expect(await blobs.facts('p/refused.png')).toBe(undefined)
    expect(await blobs.get('p/refused.png')).toBe(undefined)
  })

  test('a missing bucket is a fault of the store, and the error names it', async () => {
    const none = open('none')
    await expect(none.put('p/a.png', facts, Readable.from([content]))).rejects.toMatchObject({
      code: 'blob_store_unavailable',
      message: expect.stringContaining('none'),
    })
    none.close()
  })

  test('bytes arrive as a stream', async () => {
    const found = await blobs.get('p/direct.png')
    expect((await buffer(found!.content)).length).toBe(content.length)
  })
})
