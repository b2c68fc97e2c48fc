import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { BlobStore } from '../src/port.ts'

export const factsOf = (content: Uint8Array, contentType = 'image/png') => ({
  contentType,
  contentLength: content.length,
  sha256Hash: createHash('sha256').update(content).digest('base64'),
})

const streamOf = (content: Uint8Array, chunkBytes = 70_000) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < content.length; at += chunkBytes) yield Buffer.from(content.subarray(at, at + chunkBytes))
    })(),
    { objectMode: false },
  )

const large = Buffer.alloc(1_000_003, 'some bytes ')

export const conformance = (opened: () => BlobStore) =>
  describe('a blob store', () => {
    const contentOf = async (key: string) => {
      const found = await opened().get(key)
      return found === undefined ? undefined : [found.contentLength, await buffer(found.content)]
    }

    test.each([
      ['of one byte', Buffer.from('a')],
      ['of many chunks', large],
    ])('returns content %s unchanged', async (_, content) => {
      const key = `project-1/of-${content.length}.png`
      await opened().put(key, factsOf(content), streamOf(content))
      expect(await contentOf(key)).toEqual([content.length, content])
      expect(await opened().facts(key)).toMatchObject({ contentLength: content.length })
    })

    test.each([
      ['with a different hash', { ...factsOf(large), sha256Hash: factsOf(Buffer.from('other')).sha256Hash }, 'hash'],
      ['with fewer bytes than announced', { ...factsOf(large), contentLength: large.length + 1 }, 'bytes'],
      ['with more bytes than announced', { ...factsOf(large), contentLength: large.length - 1 }, 'bytes'],
    ])('refuses an upload %s and stores nothing', async (what, facts, word) => {
      const key = `project-1/${what.replaceAll(' ', '-')}.png`
      await expect(opened().put(key, facts, streamOf(large))).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(word),
      })
      expect([await contentOf(key), await opened().facts(key)]).toEqual([undefined, undefined])
    })

    test('keeps the stored content when a later upload of the same key is interrupted', async () => {
      const key = 'project-1/kept.png'
      await opened().put(key, factsOf(large), streamOf(large))
      const broken = new Readable({
        read() {
          this.push(large.subarray(0, 500_000))
          this.destroy(new Error('the client left'))
        },
      })
      await expect(opened().put(key, factsOf(large), broken)).rejects.toThrow('the client left')
      expect(await contentOf(key)).toEqual([large.length, large])
    })

    test('removes keys and ignores missing keys', async () => {
      const content = Buffer.from('gone soon')
      await opened().put('project-2/a.txt', factsOf(content), streamOf(content))
      await opened().remove(['project-2/a.txt', 'project-2/none.txt', 'project-3/none.txt'])
      expect(await contentOf('project-2/a.txt')).toBe(undefined)
    })

    test.each(['../secrets.json', 'a//b', '/etc/passwd', 'a/..', '.hidden', '', 'a\\b', 'a\0b'])('%j is not a valid key', async key => {
      await expect(opened().get(key)).rejects.toThrow('is not a key')
    })
  })
