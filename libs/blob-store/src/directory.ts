// A file has a temporary name until it is complete and verified.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, isAppError } from '@svc-server/errors'
import { requireKey } from './keys.ts'
import type { BlobStore } from './port.ts'
import { verified } from './verified.ts'

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const unavailable = (error: unknown) =>
  new AppError(
    'blob_store_unavailable',
    `The directory of media cannot be used (${(error as NodeJS.ErrnoException).code}).`,
    {},
    { cause: error },
  )

/** Converts an error of the file system to an AppError. Returns other errors unchanged. */
const classified = (error: unknown) =>
  !isAppError(error) && (error as NodeJS.ErrnoException).syscall !== undefined ? unavailable(error) : error

/** Deletes incomplete files of earlier processes. Throws `blob_store_unavailable` if the directory cannot be used. */
export async function openDirectoryBlobs(directory: string): Promise<BlobStore> {
  const uploads = join(directory, 'uploads')
  const pathOf = (key: string) => join(directory, 'blobs', requireKey(key))
  try {
    await rm(uploads, { recursive: true, force: true })
    await mkdir(uploads, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unavailable(error)
  }

  async function moveIntoPlace(from: string, to: string): Promise<void> {
    const written = await open(from, 'r+')
    await written.sync().finally(() => written.close())
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    await rename(from, to)
  }

  return {
    name: 'directory',
    signed: null,
    async put(key, facts, content) {
      const path = pathOf(key)
      const draft = join(uploads, randomUUID())
      try {
        await pipeline(content, verified(facts), createWriteStream(draft, { mode: 0o600, flags: 'wx' }))
        await moveIntoPlace(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw classified(error)
      }
    },
    async get(key) {
      try {
        const file = await open(pathOf(key), 'r')
        const { size } = await file.stat()
        return { contentLength: size, content: file.createReadStream() }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw classified(error)
      }
    },
    async facts(key) {
      try {
        return { contentLength: (await stat(pathOf(key))).size }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw classified(error)
      }
    },
    async remove(keys) {
      for (const path of keys.map(pathOf)) {
        try {
          await rm(path, { force: true })
        } catch (error) {
          throw classified(error)
        }
        // A project's folder is deleted with its last file.
        await rmdir(dirname(path)).catch(() => {})
      }
    },
  }
}
