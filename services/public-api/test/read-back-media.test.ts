import { createHash } from 'node:crypto'
import { MediaContentType } from '@svc-server/api/media/types'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Instances, instanceKinds, type Json } from './read-back.ts'

const numRuns = sized(150, 8)
const bytesOf = fc.uint8Array({ minLength: 1, maxLength: 500 })
const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }).map(each => each.toISOString())
const types = fc.constantFrom(...MediaContentType.options)
const traceOrObservation = fc.record({
  traceId: fc.uuid(),
  observationId: fc.option(fc.uuid()),
  field: fc.constantFrom('input', 'output', 'metadata'),
})
const itemField = fc.constantFrom('input', 'expectedOutput', 'metadata')

describe.each(instanceKinds('embedded'))('on $kind', ({ open }) => {
  let all: Instances
  let datasetId: string
  beforeAll(async () => {
    all = await open()
    datasetId = (await all.opened.send('POST', '/v2/datasets', { name: 'of media' })).json.id
  })
  afterAll(() => all.close())

  async function announced(contentType: string, bytes: Uint8Array, place: object): Promise<Json> {
    const sha256Hash = createHash('sha256').update(bytes).digest('base64')
    const made = await all.opened.send('POST', '/media', { contentType, contentLength: bytes.length, sha256Hash, ...place })
    expect(made.status, made.text).toBe(201)
    return { ...made.json, sha256Hash }
  }
  async function uploaded(contentType: string, bytes: Uint8Array, place: object): Promise<string> {
    const { mediaId, uploadUrl, sha256Hash } = await announced(contentType, bytes, place)
    if (uploadUrl !== null) {
      const { pathname, search } = URL.parse(String(uploadUrl))!
      const headers = { 'content-type': contentType, 'x-amz-checksum-sha256': String(sha256Hash) }
      const put = await all.opened.api.send('PUT', pathname + search, { authorization: null, body: bytes, headers })
      expect(put.status, put.text).toBe(200)
    }
    return String(mediaId)
  }
  const reported = async (mediaId: string, result: object) => {
    const patched = await all.opened.send('PATCH', `/media/${mediaId}`, result)
    expect(patched.status, patched.text).toBe(200)
  }
  const readMedia = (mediaId: string) => all.read(`/api/public/media/${mediaId}`, 'project')

  test('media of every type come back with type, length, time of upload and bytes', async () => {
    const sent = fc.tuple(types, bytesOf, traceOrObservation, time, fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })))
    await fc.assert(
      fc.asyncProperty(sent, async ([contentType, bytes, place, uploadedAt, uploadTimeMs]) => {
        const mediaId = await uploaded(contentType, bytes, place)
        await reported(mediaId, { uploadedAt, uploadHttpStatus: 200, uploadTimeMs })
        const { status, json } = await readMedia(mediaId)
        const contentLength = bytes.length
        expect([status, json]).toMatchObject([200, { mediaId, contentType, contentLength, uploadedAt }])
        const downloaded = await fetch(String(json['url']))
        expect(downloaded.headers.get('content-type')).toBe(contentType)
        expect(Buffer.from(await downloaded.arrayBuffer())).toEqual(Buffer.from(bytes))
      }),
      { numRuns },
    )
  })

  test('media of dataset items come back with their field and position', async () => {
    await fc.assert(
      fc.asyncProperty(types, bytesOf, itemField, fc.uuid(), async (contentType, bytes, field, datasetItemId) => {
        const mediaId = await uploaded(contentType, bytes, { datasetId, datasetItemId, field })
        const referenceString = `@@@svcMedia:type=${contentType}|id=${mediaId}|source=bytes@@@`
        const item = { id: datasetItemId, datasetName: 'of media', [field]: { files: [referenceString] } }
        const made = await all.opened.send('POST', '/dataset-items', item)
        expect(made.status, made.text).toBe(200)
        const { json } = await all.read(`/api/public/dataset-items/${datasetItemId}`, 'project')
        const media = { mediaId, contentType, contentLength: bytes.length }
        expect(json['mediaReferences']).toMatchObject([{ field, referenceString, jsonPath: "$['files'][0]", media }])
      }),
      { numRuns },
    )
  })

  test('a failed upload comes back with its status and error', async () => {
    const failed = fc.record({ uploadHttpStatus: fc.integer({ min: 400, max: 599 }), uploadHttpError: fc.stringMatching(/^[ -~]{1,80}$/) })
    await fc.assert(
      fc.asyncProperty(types, bytesOf, traceOrObservation, failed, async (contentType, bytes, place, result) => {
        const { mediaId, uploadUrl } = await announced(contentType, bytes, place)
        fc.pre(uploadUrl !== null)
        await reported(String(mediaId), { uploadedAt: new Date(0).toISOString(), ...result })
        const { status, json } = await readMedia(String(mediaId))
        expect([status, json]).toMatchObject([404, { message: expect.stringContaining(result.uploadHttpError) }])
        expect(json['message']).toContain(String(result.uploadHttpStatus))
      }),
      { numRuns },
    )
  })
})
