import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { noteTraceDeletions } from '../../src/deletions/repository.ts'
import { linkMedia } from '../../src/media/links.ts'
import { ensureMedia, getMedia, isUploaded, mediaIdOf, noteUpload, readMedia, readMediaOfTrace } from '../../src/media/repository.ts'
import { isMissingReference } from '../../src/tenancy/conflicts.ts'
import { author, type OpenedProjects } from '../projects.ts'

const { at } = author
const fileOf = (content: string, contentType = 'image/png') => ({
  sha256Hash: createHash('sha256').update(content).digest('base64'),
  contentType,
  contentLength: 3_000_000_000,
  bucketName: 'bucket',
  bucketPath: `media/p/${content}.png`,
})

export const media = (opened: () => OpenedProjects) =>
  describe('media', () => {
    test('a file exists once per project, and is uploaded once per content type', async () => {
      const { project, other } = opened()
      const file = fileOf('one')
      const made = await ensureMedia(project, file, at)
      expect(made).toMatchObject({ ...file, id: mediaIdOf(file.sha256Hash), projectId: 'p', uploadedAt: null, createdAt: at })
      expect([made.id.length, isUploaded(made)]).toEqual([22, false])
      expect(await ensureMedia(other, file, at)).toMatchObject({ id: made.id, projectId: 'q' })
      const result = { uploadedAt: at, httpStatus: 200, httpError: 'nul\0' }
      expect(await noteUpload(project, 'none', result, at)).toBe(undefined)
      const uploaded = await noteUpload(project, made.id, result, at)
      expect([isUploaded(uploaded!), uploaded!.uploadHttpError]).toEqual([true, 'nul'])
      expect(await ensureMedia(project, file, at)).toEqual(uploaded)
      expect(isUploaded((await getMedia(other, made.id))!)).toBe(false)
      expect(await ensureMedia(project, { ...file, contentType: 'image/gif' }, at)).toMatchObject({
        contentType: 'image/gif',
        uploadedAt: null,
      })
      expect(await readMedia(project, [made.id, 'none', '\0'])).toHaveLength(1)
      expect(() => mediaIdOf('x'.repeat(44))).toThrow('SHA-256')
    })

    test('a file is linked once to each field of traces and observations, until the traces are deleted', async () => {
      const { project, other } = opened()
      const { id } = await ensureMedia(project, fileOf('linked'), at)
      const place = { traceId: 't', field: 'input', origin: 'CLIENT_UPLOAD' } as const
      for (let n = 0; n < 2; n++) {
        await linkMedia(project, id, place, at)
        await linkMedia(project, id, { ...place, observationId: 'o', field: 'output' }, at)
      }
      await expect(linkMedia(other, id, place, at)).rejects.toSatisfy(isMissingReference)
      const found = await readMediaOfTrace(project, 't')
      expect(found.map(each => [each.id, each.observationId, each.field])).toEqual([
        [id, null, 'input'],
        [id, 'o', 'output'],
      ])
      expect(await readMediaOfTrace(other, 't')).toEqual([])
      await noteTraceDeletions(other, author, ['t'])
      expect(await readMediaOfTrace(project, 't')).toHaveLength(2)
      await noteTraceDeletions(project, author, ['t', 'nul\0'])
      expect([await readMediaOfTrace(project, 't'), (await getMedia(project, id))?.id]).toEqual([[], id])
    })

    test('rejects a hash that begins like the hash of another file', async () => {
      const project = await opened().another()
      const { sha256Hash, ...file } = fileOf('begins')
      await ensureMedia(project, { sha256Hash, ...file }, at)
      const alike = `${sha256Hash.slice(0, 22)}${'B'.repeat(21)}=`
      await expect(ensureMedia(project, { sha256Hash: alike, ...file }, at)).rejects.toMatchObject({ code: 'bad_request' })
    })

    test('fifty concurrent creations with one hash give one file with one link', async () => {
      const project = await opened().another()
      const made = await Promise.all(Array.from({ length: 50 }, () => ensureMedia(project, fileOf('many'), at)))
      expect(new Set(made.map(({ id }) => id)).size).toBe(1)
      const place = { traceId: 't', field: 'metadata', origin: 'UNKNOWN' } as const
      await Promise.all(made.map(({ id }) => linkMedia(project, id, place, at)))
      expect(await readMediaOfTrace(project, 't')).toHaveLength(1)
    })
  })
