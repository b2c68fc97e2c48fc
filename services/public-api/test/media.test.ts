import { createHash, randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '@svc-server/blob-store'
import { openDirectoryBlobs } from '@svc-server/blob-store/directory'
import { createLogger } from '@svc-server/service/logs'
import { temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMediaUpkeep } from '../src/media/upkeep.ts'
import { createMediaUrls } from '../src/media/urls.ts'
import { startApi } from './api.ts'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
let directory: Awaited<ReturnType<typeof temporaryDirectory>>
let blobs: BlobStore
beforeAll(async () => {
  directory = await temporaryDirectory('svc-media-')
  blobs = await openDirectoryBlobs(directory.path)
  opened = await openResources({ blobs })
})
afterAll(async () => {
  expect(opened.api.logLines.filter(line => line.includes('defect'))).toEqual([])
  await opened[Symbol.asyncDispose]()
  await directory.remove()
})

const send: OpenedResources['send'] = (...request) => opened.send(...request)

const announced = (content: Uint8Array, contentType = 'image/png') => ({
  contentType,
  contentLength: content.length,
  sha256Hash: createHash('sha256').update(content).digest('base64'),
})
const inTrace = { traceId: 'trace-1', observationId: 'observation-1', field: 'input' }

interface Fetched {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** Sends the request to the port of the test. The host in the URL does not matter. */
function fetched(method: string, url: string, content?: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Fetched> {
  const { pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const at = { host: '127.0.0.1', port: opened.api.port, path: pathname + search, method, headers }
    const request = httpRequest(at, async response => {
      resolve({ status: response.statusCode!, headers: response.headers, bytes: await buffer(response) })
    })
    request.on('error', reject)
    request.end(content)
  })
}

async function uploaded(content: Uint8Array, place: object = inTrace, contentType = 'image/png'): Promise<string> {
  const { json } = await send('POST', '/media', { ...announced(content, contentType), ...place })
  if (json.uploadUrl !== null) expect((await fetched('PUT', json.uploadUrl, content, { 'content-type': contentType })).status).toBe(200)
  return json.mediaId
}
const patch = (mediaId: string, status: number, more: object = {}) =>
  send('PATCH', `/media/${mediaId}`, { uploadedAt: '2026-11-01T00:00:00.000Z', uploadHttpStatus: status, uploadTimeMs: 1.5, ...more })

const upkeep = () =>
  createMediaUpkeep({ relational: opened.store, blobs, clock: Date.now, logger: createLogger({ service: 'test', level: 'fatal' }) })
const keyOf = async (mediaId: string) =>
  (await opened.store.db.selectFrom('media').select('bucket_path').where('id', '=', mediaId).executeTakeFirst())?.bucket_path

test('bytes uploaded as published clients do come back with type and length', async () => {
  const content = randomBytes(300_000)
  const made = await send(
    'POST',
    '/media',
    { ...announced(content), ...inTrace },
    { headers: { host: 'svc.example:8443', 'x-forwarded-proto': 'https' } },
  )
  const { sha256Hash } = announced(content)
  expect([made.status, made.json]).toEqual([
    201,
    {
      mediaId: sha256Hash.slice(0, 22).replaceAll('+', '-').replaceAll('/', '_'),
      uploadUrl: expect.stringMatching(/^https:\/\/svc\.example:8443\/api\/public\/media\//),
    },
  ])
  const { mediaId, uploadUrl } = made.json
  expect((await send('GET', `/media/${mediaId}`)).json.message).toContain('has not been uploaded yet')
  const put = await fetched('PUT', uploadUrl, content, { 'content-type': 'image/png', 'x-amz-checksum-sha256': sha256Hash })
  expect(put.status).toBe(200)
  expect((await patch(mediaId, 200, { uploadHttpError: '' })).json).toEqual({ message: 'OK' })
  const got = await send('GET', `/media/${mediaId}`)
  expect(got.json).toEqual({
    ...{ mediaId, contentType: 'image/png', contentLength: content.length, uploadedAt: '2026-11-01T00:00:00.000Z' },
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/public\/media\//),
    urlExpiry: expect.stringMatching(/Z$/),
  })
  const seconds = (Date.parse(got.json.urlExpiry) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(3_000)
  expect(seconds).toBeLessThanOrEqual(3_600)
  const { status, headers, bytes } = await fetched('GET', got.json.url)
  expect([status, headers['content-type'], headers['content-length'], headers['content-security-policy']]).toEqual([
    ...[200, 'image/png', '300000', "default-src 'none'; sandbox"],
  ])
  expect(bytes.equals(content)).toBe(true)
  expect((await fetched('HEAD', got.json.url)).bytes).toHaveLength(0)
  // The client need not upload the same bytes again, even for another object. If the client announces these bytes with another media type,
  // the client must upload the bytes again.
  expect((await send('POST', '/media', { ...announced(content), traceId: 'trace-2', field: 'output' })).json).toEqual({
    mediaId,
    uploadUrl: null,
  })
  expect((await send('POST', '/media', { ...announced(content, 'image/gif'), ...inTrace })).json.uploadUrl).toEqual(expect.any(String))
  expect((await opened.sendOther('GET', `/media/${mediaId}`)).status).toBe(404)
  expect((await opened.sendOther('PATCH', `/media/${mediaId}`, { uploadedAt: '2026-11-01T00:00:00Z', uploadHttpStatus: 200 })).status).toBe(
    404,
  )
})

test('bytes that differ from the announcement are refused, and nothing is stored', async () => {
  const content = randomBytes(200_000)
  const { mediaId, uploadUrl } = (await send('POST', '/media', { ...announced(content), ...inTrace })).json
  const altered = Buffer.from(content)
  altered[199_999]! ^= 1
  for (const [wrong, headers] of [
    [altered, {}],
    [content.subarray(1), {}],
    [Buffer.concat([content, content]), {}],
    [altered, { 'transfer-encoding': 'chunked' }],
    [Buffer.concat([content, content]), { 'transfer-encoding': 'chunked' }],
    [Buffer.alloc(0), {}],
  ] as const) {
    const { status, bytes } = await fetched('PUT', uploadUrl, wrong, headers)
    expect([status, bytes.toString()]).toEqual([400, expect.stringContaining('Nothing was stored')])
    expect((await send('GET', `/media/${mediaId}`)).status).toBe(404)
  }
  // The client reports a successful upload. The server then finds that the store does not contain the bytes.
  expect((await patch(mediaId, 200)).status).toBe(200)
  expect((await send('GET', `/media/${mediaId}`)).json.message).toContain('The store does not contain the bytes')
  expect((await fetched('PUT', uploadUrl, content)).status).toBe(200)
  const read = (await send('GET', `/media/${mediaId}`)).json
  expect((await fetched('PUT', uploadUrl, content)).status).toBe(200)
  for (const wrong of [altered, content.subarray(1), Buffer.alloc(0)]) expect((await fetched('PUT', uploadUrl, wrong)).status).toBe(400)
  const kept = (await send('GET', `/media/${mediaId}`)).json
  expect(kept.uploadedAt).toBe(read.uploadedAt)
  expect((await fetched('GET', kept.url)).bytes.equals(content)).toBe(true)
  expect((await patch(mediaId, 503, { uploadHttpError: 'slow down' })).status).toBe(200)
  expect((await send('GET', `/media/${mediaId}`)).json.message).toContain('failed with status 503: slow down')
})

test('a signed URL permits one operation on one file until it expires', async () => {
  const content = randomBytes(1_000)
  const mediaId = await uploaded(content)
  const other = await uploaded(randomBytes(1_000))
  const { url } = (await send('GET', `/media/${mediaId}`)).json
  expect((await fetched('PUT', url, content)).status).toBe(403)
  for (const forged of [
    url.replace(mediaId, other),
    url.replace('project-0', 'project-other'),
    url.replace(/expires=\d/, 'expires=9'),
    url.replace(/signature=../, 'signature=AA'),
  ])
    expect((await fetched('GET', forged)).status).toBe(403)
  expect((await fetched('GET', url.replace(/&signature=.*/, ''))).status).toBe(400)
})

test('a URL is refused from the second of its expiry', () => {
  const { urlOf, check } = createMediaUrls('a-key')
  const granted = { action: 'download', projectId: 'p', mediaId: 'm', expires: 1_800_000_000 } as const
  const signature = URL.parse(urlOf('http://svc.example', granted))!.searchParams.get('signature')!
  expect(() => check(granted, signature, 1_799_999_999_999)).not.toThrow()
  expect(() => check(granted, signature, 1_800_000_000_000)).toThrow('expired')
})

const hash = announced(Buffer.from('x')).sha256Hash
test.each([
  ['no place', {}],
  ['an observation without its trace', { observationId: 'o', field: 'input' }],
  ['a field of items in a trace', { traceId: 't', field: 'expectedOutput' }],
  ['a field of traces in an item', { datasetId: 'd', datasetItemId: 'i', field: 'output' }],
  ['two places', { traceId: 't', datasetId: 'd', datasetItemId: 'i', field: 'input' }],
  ['another field', { traceId: 't', field: 'output2' }],
  ['no field', { traceId: 't' }],
  ['another type', { traceId: 't', field: 'input', contentType: 'image/x-unknown' }],
  ['no bytes', { traceId: 't', field: 'input', contentLength: 0 }],
  ['too many bytes', { traceId: 't', field: 'input', contentLength: 1_000_000_001 }],
  ['an invalid hash', { traceId: 't', field: 'input', sha256Hash: hash.slice(1) }],
  ['a hash in hexadecimal', { traceId: 't', field: 'input', sha256Hash: 'a'.repeat(64) }],
])('%s gets 400', async (_, more) => {
  const answer = await send('POST', '/media', { contentType: 'image/png', contentLength: 1, sha256Hash: hash, ...more })
  expect([answer.status, answer.json.message]).toEqual([400, 'Invalid request data'])
})

test('a null id of the other context is treated as absent', async () => {
  const nulls = { datasetId: null, datasetItemId: null, observationId: null }
  expect((await send('POST', '/media', { ...announced(Buffer.from('x')), traceId: 't', field: 'input', ...nulls })).status).toBe(201)
})

const tagOf = (mediaId: string) => `@@@svcMedia:type=image/png|id=${mediaId}|source=bytes@@@`

test('each version of an item lists the media that its fields refer to, with their paths', async () => {
  const { id: datasetId } = (await send('POST', '/v2/datasets', { name: 'with media' })).json
  const [first, second] = [randomBytes(10), randomBytes(20)]
  const place = { datasetId, datasetItemId: 'item-with-media', field: 'input' }
  const [a, b] = [await uploaded(first, place), await uploaded(second, { ...place, field: 'metadata' })]
  const fields = {
    input: { images: [tagOf(a), 'text'] },
    expectedOutput: tagOf(b),
    metadata: { "it's": tagOf(a), text: `see ${tagOf(a)}` },
  }
  const made = await send('POST', '/dataset-items', { datasetName: 'with media', id: 'item-with-media', ...fields })
  expect(made.json).toMatchObject(fields)
  const media = { contentType: 'image/png', url: expect.stringContaining('/content?'), urlExpiry: expect.any(String) }
  const references = [
    { field: 'expectedOutput', jsonPath: '$', referenceString: tagOf(b), media: { ...media, mediaId: b, contentLength: 20 } },
    { field: 'input', jsonPath: "$['images'][0]", referenceString: tagOf(a), media: { ...media, mediaId: a, contentLength: 10 } },
    { field: 'metadata', jsonPath: "$['it's']", referenceString: tagOf(a), media: { ...media, mediaId: a, contentLength: 10 } },
  ]
  expect(made.json.mediaReferences).toEqual(references)
  expect((await send('GET', '/dataset-items/item-with-media')).json.mediaReferences).toEqual(references)
  const listed = async (query: string) =>
    (await send('GET', `/dataset-items?datasetName=with%20media${query}`)).json.data[0].mediaReferences
  expect(await listed('')).toEqual(references)
  const { url } = references[0]!.media
  expect(url).toBeDefined()
  expect((await fetched('GET', (await listed(''))[0].media.url)).bytes).toEqual(second)
  expect((await send('GET', '/datasets/with%20media')).json.items[0].mediaReferences).toEqual(references)

  const unknown = await send('POST', '/dataset-items', { datasetName: 'with media', input: [tagOf('AAAAAAAAAAAAAAAAAAAAAA')] })
  expect([unknown.status, unknown.json.message]).toEqual([400, expect.stringContaining('AAAAAAAAAAAAAAAAAAAAAA')])
  expect((await opened.sendOther('POST', '/v2/datasets', { name: 'theirs' })).status).toBe(200)
  expect((await opened.sendOther('POST', '/dataset-items', { datasetName: 'theirs', input: tagOf(a) })).status).toBe(400)

  const changed = await send('POST', '/dataset-items', {
    datasetName: 'with media',
    id: 'item-with-media',
    expectedOutput: 'none',
    metadata: 1,
  })
  expect(changed.json.mediaReferences.map(({ field }: { field: string }) => field)).toEqual(['input'])
  expect(await listed(`&version=${made.json.version}`)).toEqual(references)

  // Only the previous version of the item names media b. Media a and media b are kept until the item is deleted.
  await upkeep().round()
  expect((await send('GET', `/media/${b}`)).status).toBe(200)
  const [keyOfA, keyOfB] = [await keyOf(a), await keyOf(b)]
  expect((await send('DELETE', '/dataset-items/item-with-media')).status).toBe(200)
  await upkeep().round()
  expect([(await send('GET', `/media/${a}`)).status, (await send('GET', `/media/${b}`)).status]).toEqual([404, 404])
  expect([await blobs.facts(keyOfA!), await blobs.facts(keyOfB!)]).toEqual([undefined, undefined])
})

test('media for an unknown dataset get 404; media for a missing item are kept for a day', async () => {
  const { id: datasetId } = (await send('POST', '/v2/datasets', { name: 'later' })).json
  const place = { datasetItemId: 'later', field: 'input' }
  expect((await send('POST', '/media', { ...announced(Buffer.from('y')), ...place, datasetId: 'none' })).status).toBe(404)
  const mediaId = await uploaded(randomBytes(30), { ...place, datasetId })
  await upkeep().round()
  expect((await send('GET', `/media/${mediaId}`)).status).toBe(200)
  const tomorrow = { relational: opened.store, blobs, clock: () => Date.now() + 25 * 3_600_000 }
  await createMediaUpkeep({ ...tomorrow, logger: createLogger({ service: 'test', level: 'fatal' }) }).round()
  expect((await send('GET', `/media/${mediaId}`)).status).toBe(404)
})

test('bytes are deleted with the last trace that refers to them, not earlier', async () => {
  const mediaId = await uploaded(randomBytes(40), { traceId: 'gone-1', field: 'input' })
  expect(await uploaded(randomBytes(40), { traceId: 'gone-1', field: 'input' })).not.toBe(mediaId)
  const key = (await keyOf(mediaId))!
  await opened.store.db
    .insertInto('trace_media')
    .values({
      ...{ id: 'second', project_id: 'project-0', media_id: mediaId, trace_id: 'gone-2', field: 'output', updated_at: new Date() },
    })
    .execute()
  await send('DELETE', '/traces/gone-1')
  await upkeep().round()
  expect((await blobs.facts(key))?.contentLength).toBe(40)
  await send('DELETE', '/traces/gone-2')
  await upkeep().round()
  expect([await blobs.facts(key), await keyOf(mediaId)]).toEqual([undefined, undefined])
})

test('retention and the deletion of a project delete its media', async () => {
  const content = randomBytes(50)
  const body = { ...announced(content), traceId: 'old', field: 'input' }
  const { mediaId, uploadUrl } = (await opened.sendOther('POST', '/media', body)).json
  expect((await fetched('PUT', uploadUrl, content)).status).toBe(200)
  const of = opened.store.db.updateTable('projects').where('id', '=', 'project-other')
  await of.set({ retention_days: 30 }).execute()
  const inDays = (days: number) =>
    createMediaUpkeep({
      ...{ relational: opened.store, blobs, clock: () => Date.now() + days * 86_400_000 },
      logger: createLogger({ service: 'test', level: 'fatal' }),
    })
  await inDays(29).round()
  const key = (
    await opened.store.db.selectFrom('media').select('bucket_path').where('project_id', '=', 'project-other').executeTakeFirstOrThrow()
  ).bucket_path
  expect((await opened.sendOther('GET', `/media/${mediaId}`)).status).toBe(200)
  await inDays(31).round()
  expect([(await opened.sendOther('GET', `/media/${mediaId}`)).status, await blobs.facts(key)]).toEqual([404, undefined])

  const again = (await opened.sendOther('POST', '/media', { ...body, ...announced(Buffer.from('z')) })).json
  expect((await fetched('PUT', again.uploadUrl, Buffer.from('z'))).status).toBe(200)
  await of.set({ deleted_at: new Date() }).execute()
  await upkeep().round()
  expect(await opened.store.db.selectFrom('media').selectAll().where('project_id', '=', 'project-other').execute()).toEqual([])
})

test('an installation without a media store reports that', async () => {
  await using api = await startApi({ relational: opened.store, blobs: null })
  const answer = await api.send('POST', '/api/public/media', { body: { ...announced(Buffer.from('x')), ...inTrace } })
  expect([answer.status, answer.json.message]).toEqual([500, expect.stringContaining('SVC_S3_MEDIA_UPLOAD_BUCKET')])
  expect(api.logLines.filter(line => line.includes('defect'))).toEqual([])
})
