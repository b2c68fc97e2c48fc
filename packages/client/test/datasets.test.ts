import { configureGlobalLogger, LogLevel } from '@svc/core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { parsePath, replaceAt } from '../src/datasets/json-path.ts'
import { MediaManager, SvcClient, SvcMedia, SvcMediaReference } from '../src/index.ts'
import { type Answer, type Service, startService } from './server.ts'

const warn = vi.spyOn(console, 'warn')
beforeEach(() => {
  configureGlobalLogger({ level: LogLevel.WARN })
  warn.mockReset().mockReturnValue()
})

async function serving(answer: (request: Parameters<Answer>[0], service: () => Service) => ReturnType<Answer>, timeout?: number) {
  const service: Service = await startService(request => answer(request, () => service))
  return { service, client: new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url, timeout }) }
}

const dataset = { id: 'd', name: 'a/b', description: null, createdAt: '2026-01-01T00:00:00.000Z' }
const tag = '@@@svcMedia:type=image/png|id=m|source=bytes@@@'
const media = { mediaId: 'm', contentType: 'image/png', contentLength: 3, url: 'https://x', urlExpiry: '2020-01-01T00:00:00Z' }
const item = (id: string, fields: object = {}) => ({ id, datasetId: 'd', datasetName: 'a/b', input: id, mediaReferences: [], ...fields })

describe('get', () => {
  test('reads all pages of the items, at the version', async () => {
    const { service, client } = await serving(({ call, query }) => {
      if (call === 'GET /api/public/v2/datasets/a%2Fb') return { json: dataset }
      return { json: { data: [item(`i${query['page']}`)], meta: { totalPages: 3 } } }
    })
    const found = await client.dataset.get('a/b', { version: '2026-02-01T00:00:00.000Z', fetchItemsPageSize: 7 })
    expect(found).toMatchObject({ ...dataset, version: '2026-02-01T00:00:00.000Z' })
    expect(Array.isArray(found.items) && found.items.map(({ id }) => id)).toEqual(['i1', 'i2', 'i3'])
    expect(found.items[0]).not.toHaveProperty('link')
    expect(service.of('GET /api/public/dataset-items').map(({ query }) => query)).toEqual(
      ['1', '2', '3'].map(page => ({ datasetName: 'a/b', limit: '7', page, version: '2026-02-01T00:00:00.000Z' })),
    )
  })

  test('replaces media references at their paths, and leaves those without media', async () => {
    const reference = (field: string, jsonPath: string, of: object | null = media) => ({ field, jsonPath, referenceString: tag, media: of })
    const { client } = await serving(({ call }) => {
      if (call.includes('/v2/datasets/')) return { json: dataset }
      const mediaReferences = [
        reference('input', "$['messages'][1]['image']"),
        reference('expectedOutput', '$'),
        reference('metadata', "$['gone']"),
        reference('metadata', "$['kept']", null),
        reference('other', '$'),
      ]
      const fields = { input: { messages: [0, { image: tag }] }, expectedOutput: tag, metadata: { kept: tag }, mediaReferences }
      return { json: { data: [item('i', fields)], meta: { totalPages: 1 } } }
    })
    const [found] = (await client.dataset.get('a/b')).items
    const image = (found!.input as { messages: { image: SvcMediaReference }[] }).messages[1]!.image
    expect(image).toBeInstanceOf(SvcMediaReference)
    expect([image.url, image.isUrlExpired()]).toEqual(['https://x', true])
    expect(JSON.stringify(found!.expectedOutput)).toBe(JSON.stringify(tag))
    expect(found!.metadata).toEqual({ kept: tag })
    expect(warn).toHaveBeenCalledTimes(2)
  })

  test('rejects for a missing dataset', async () => {
    const { client } = await serving(() => ({ status: 404, json: { message: 'no' } }))
    await expect(client.dataset.get('x')).rejects.toMatchObject({ statusCode: 404 })
  })
})

test('paths of media', () => {
  expect(parsePath('$')).toEqual([])
  expect(parsePath("$['a b'][0]['']")).toEqual(['a b', 0, ''])
  for (const path of ['', 'a', '$.a', "$['a]", '$[-1]', '$[a]']) expect(() => parsePath(path), path).toThrow()
  expect(replaceAt({ a: [1] }, "$['a'][0]", 2)).toEqual({ a: [2] })
  expect(() => replaceAt({ a: {} }, "$['a'][0]", 2)).toThrow('does not exist')
  expect(() => replaceAt({}, "$['__proto__']['x']", 2)).toThrow('does not exist')
})

describe('createItem', () => {
  const image = () => new SvcMedia({ source: 'bytes', contentBytes: new Uint8Array([1, 2, 3]), contentType: 'image/png' })

  test('creates an item under the given id or a new one', async () => {
    const { service, client } = await serving(({ body }) => ({ json: body }))
    const input = { at: new Date(0) }
    await client.dataset.createItem({ datasetName: 'a/b', id: 'own', input, status: 'ARCHIVED' })
    await client.dataset.createItem({ datasetName: 'a/b', input: 'x', expectedOutput: 1, metadata: { a: 1 } })
    const [first, second] = service.of('POST /api/public/dataset-items').map(({ body }) => body)
    expect(first).toEqual({ datasetName: 'a/b', id: 'own', input: { at: '1970-01-01T00:00:00.000Z' }, status: 'ARCHIVED' })
    expect(second).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), expectedOutput: 1, metadata: { a: 1 } })
    expect(service.received).toHaveLength(2)
  })

  test('uploads each media once, then creates the item with tags', async () => {
    const id = await image().getId()
    const { service, client } = await serving(({ call }, of) => {
      if (call === 'POST /api/public/media') return { json: { mediaId: id, uploadUrl: `${of().url}/upload` } }
      return { json: dataset }
    })
    const reference = new SvcMediaReference({ ...media, referenceString: tag })
    await client.dataset.createItem({ datasetName: 'a/b', id: 'i', input: [image(), { again: image() }], metadata: { reference } })
    expect(service.received.map(({ call }) => call)).toEqual([
      'GET /api/public/v2/datasets/a%2Fb',
      'POST /api/public/media',
      'PUT /upload',
      `PATCH /api/public/media/${id}`,
      'POST /api/public/dataset-items',
    ])
    expect(service.received[1]!.body).toMatchObject({ datasetId: 'd', datasetItemId: 'i', field: 'input', contentLength: 3 })
    expect([...service.received[2]!.bytes]).toEqual([1, 2, 3])
    const own = await image().getTag()
    expect(service.received[4]!.body).toMatchObject({ input: [own, { again: own }], metadata: { reference: tag } })
  })

  test('creates nothing when media cannot be stored or has no content', async () => {
    const { service, client } = await serving(({ call }) =>
      call === 'POST /api/public/media' ? { status: 400, json: {} } : { json: dataset },
    )
    await expect(client.dataset.createItem({ datasetName: 'd', input: image() })).rejects.toMatchObject({ statusCode: 400 })
    configureGlobalLogger({ level: LogLevel.NONE })
    const empty = new SvcMedia({ source: 'base64_data_uri', base64DataUri: 'none' })
    await expect(client.dataset.createItem({ datasetName: 'd', input: [empty] })).rejects.toThrow('no content')
    expect(service.of('POST /api/public/dataset-items')).toEqual([])
  })

  test('leaves cycles and values that are too deep', async () => {
    const { service, client } = await serving(() => ({ json: {} }))
    let deep: unknown = image()
    for (let level = 0; level < 25; level++) deep = { deep }
    await client.dataset.createItem({ datasetName: 'd', input: deep })
    expect(warn).toHaveBeenCalledTimes(1)
    expect(service.received.map(({ call }) => call)).toEqual(['POST /api/public/dataset-items'])
  })
})

describe('resolveReferences', () => {
  const bytes = new Uint8Array([1, 2, 3])
  const serves = (content: Answer) =>
    serving((request, of) => {
      if (request.call !== 'GET /api/public/media/m') return request.call === 'GET /content' ? content(request) : { status: 404, json: {} }
      return { json: { mediaId: 'm', contentType: 'image/png', url: `${of().url}/content` } }
    })

  test('replaces tags with data URIs in a copy, at any depth', async () => {
    const { service, client } = await serves(() => ({ bytes }))
    const obj = { a: `${tag} and ${tag}`, b: [{ c: tag }, 1, null], d: 'none' }
    const uri = 'data:image/png;base64,AQID'
    expect(await client.media.resolveReferences({ obj, resolveWith: 'base64DataUri' })).toEqual({
      ...{ a: `${uri} and ${uri}`, b: [{ c: uri }, 1, null], d: 'none' },
    })
    expect(obj.a).toContain(tag)
    expect(service.of('GET /content').every(({ headers }) => headers.authorization === undefined)).toBe(true)
    expect(await client.media.resolveReferences({ obj: [[tag]], resolveWith: 'base64DataUri', maxDepth: 1 })).toEqual([[tag]])
  })

  test('leaves a tag whose media is unknown, refused or incomplete, with a warning', async () => {
    const unknown = tag.replace('id=m', 'id=other')
    const { client } = await serves(() => ({ status: 403 }))
    const obj = [unknown, tag, '@@@svcMedia:type=image/png@@@']
    expect(await client.media.resolveReferences({ obj, resolveWith: 'base64DataUri' })).toEqual(obj)
    expect(warn).toHaveBeenCalledTimes(3)
  })

  test('gives up a stalled download', async () => {
    const service: Service = await startService(({ call }) =>
      call === 'GET /content' ? null : { json: { mediaId: 'm', contentType: 'image/png', url: `${service.url}/content` } },
    )
    const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url, timeout: 0.05 })
    expect(await client.media.resolveReferences({ obj: tag, resolveWith: 'base64DataUri' })).toBe(tag)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('parses type, id and source of a tag, and refuses other texts', () => {
    expect(MediaManager.parseReferenceString(tag)).toEqual({ mediaId: 'm', source: 'bytes', contentType: 'image/png' })
    for (const text of ['', 'x', '@@@svcMedia:', '@@@svcMedia:type=a|id=b@@@']) {
      expect(() => MediaManager.parseReferenceString(text), text).toThrow('not a media reference')
    }
  })
})
