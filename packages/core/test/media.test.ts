import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMediaApi, SvcMedia, SvcMediaReference, uploadMedia } from '../src/index.ts'
import { type RecordingServer, type Reply, recordingServer } from './server.ts'

const servers: RecordingServer[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(servers.splice(0).map(server => server.close()))
})

const bytes = new TextEncoder().encode('a picture')
const hash = createHash('sha256').update(bytes).digest('base64')
const id = hash.replaceAll('+', '-').replaceAll('/', '_').slice(0, 22)
const dataUri = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`

describe('media', () => {
  test('from bytes and from a data URI have the same id, and each its tag', async () => {
    const ofBytes = new SvcMedia({ source: 'bytes', contentBytes: bytes, contentType: 'image/png' })
    const ofUri = new SvcMedia({ source: 'base64_data_uri', base64DataUri: dataUri })
    expect(await ofBytes.getSha256Hash()).toBe(hash)
    expect(await ofUri.getId()).toBe(id)
    expect(await ofBytes.getTag()).toBe(`@@@svcMedia:type=image/png|id=${id}|source=bytes@@@`)
    expect(await ofUri.getTag()).toBe(`@@@svcMedia:type=image/png|id=${id}|source=base64_data_uri@@@`)
    expect(JSON.stringify({ ofBytes })).toBe(JSON.stringify({ ofBytes: dataUri }))
    expect(ofUri.contentLength).toBe(bytes.length)
  })

  test('URL-safe base64 is read, too', () => {
    const { _contentBytes } = new SvcMedia({ source: 'base64_data_uri', base64DataUri: 'data:image/png;base64,-_-_' })
    expect(_contentBytes).toEqual(new Uint8Array(Buffer.from('+/+/', 'base64')))
  })

  test.each([
    '',
    'image/png;base64,aa',
    'data:image/png,aa',
    'data:;base64,aa',
    'data:image/png;base64',
    'data:image/png;base64,*',
    undefined,
  ])('no content for %s, and an error in the log', async base64DataUri => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const media = new SvcMedia({ source: 'base64_data_uri', base64DataUri: base64DataUri as string })
    expect([media._contentBytes, media._contentType, media._source, media.contentLength]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect([await media.getId(), await media.getTag(), media.base64DataUri]).toEqual([null, null, null])
    expect(error).toHaveBeenCalledTimes(1)
  })
})

test('a reference reads its content without keys and is stored again unchanged', async () => {
  const server = await recordingServer((_, at) => (at < 3 ? { body: 'a picture' } : { status: 403 }))
  servers.push(server)
  const reference = new SvcMediaReference({
    mediaId: 'm1',
    contentType: 'image/png',
    url: `${server.url}/m1`,
    urlExpiry: new Date(Date.now() + 90_000).toISOString(),
    referenceString: '@@@svcMedia:…@@@',
  })
  expect(await reference.fetchBytes()).toEqual(bytes)
  expect(await reference.fetchBase64()).toBe(Buffer.from(bytes).toString('base64'))
  expect(await reference.fetchDataUri()).toBe(dataUri)
  await expect(reference.fetchBytes()).rejects.toThrow(/m1.*403/)
  expect(server.received[0]!.headers).not.toHaveProperty('authorization')
  expect(JSON.stringify(reference)).toBe('"@@@svcMedia:…@@@"')
  expect([reference.isUrlExpired(), reference.isUrlExpired(120)]).toEqual([false, true])
  expect(new SvcMediaReference({ ...reference, urlExpiry: 'some day' }).isUrlExpired()).toBe(false)
})

describe('an upload', () => {
  let storage: (at: number) => Reply
  let given: object
  let server: RecordingServer
  beforeEach(async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    let stored = 0
    storage = () => ({ status: 201 })
    given = { mediaId: id }
    server = await recordingServer(({ method }) => {
      if (method === 'PUT') return storage(stored++)
      return method === 'POST' ? { body: JSON.stringify({ uploadUrl: `${server.url}/bucket/m`, ...given }) } : {}
    })
    servers.push(server)
  })
  const upload = (of = new SvcMedia({ source: 'bytes', contentBytes: bytes, contentType: 'image/png' })) =>
    uploadMedia({
      apiClient: createMediaApi({ environment: server.url, username: 'pk', password: 'sk' }),
      media: of,
      traceId: 't',
      observationId: 'o',
      field: 'input',
      baseDelay: 0,
      timeoutInSeconds: 5,
    })
  const requests = () => server.received.map(({ method, url }) => `${method} ${url}`)

  test('requests a URL, puts the bytes and reports the result', async () => {
    await upload()
    expect(requests()).toEqual(['POST /api/public/media', 'PUT /bucket/m', `PATCH /api/public/media/${id}`])
    const [asked, put, reported] = server.received
    const request = { contentLength: 9, contentType: 'image/png', sha256Hash: hash, field: 'input', traceId: 't', observationId: 'o' }
    expect(JSON.parse(asked!.body)).toEqual(request)
    expect(put!.headers).toMatchObject({ 'content-type': 'image/png', 'x-amz-checksum-sha256': hash, 'x-ms-blob-type': 'BlockBlob' })
    expect(put!.body).toBe('a picture')
    expect(JSON.parse(reported!.body)).toMatchObject({
      uploadHttpStatus: 201,
      uploadedAt: expect.any(String),
      uploadTimeMs: expect.any(Number),
    })
  })

  test('sends no bytes when the server has the content', async () => {
    given = { mediaId: id, uploadUrl: null }
    await upload()
    expect(requests()).toEqual(['POST /api/public/media'])
  })

  test('is retried, and reports a failure before it rejects', async () => {
    storage = at => (at === 0 ? { status: 503 } : { status: 200 })
    await upload()
    expect(requests().filter(each => each.startsWith('PUT'))).toHaveLength(2)
    storage = () => ({ status: 403, body: 'no' })
    await expect(upload()).rejects.toThrow(/403 after 3 retries/)
    expect(JSON.parse(server.received.at(-1)!.body)).toMatchObject({ uploadHttpStatus: 403, uploadHttpError: 'no' })
  })

  test('rejects when the server names other content, or when there is no content', async () => {
    given = { mediaId: 'another' }
    await expect(upload()).rejects.toThrow(/integrity/)
    await expect(upload(new SvcMedia({ source: 'bytes', contentBytes: new Uint8Array(), contentType: 'image/png' }))).rejects.toThrow(
      /incomplete/,
    )
  })
})
