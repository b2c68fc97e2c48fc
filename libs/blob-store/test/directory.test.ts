import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDirectoryBlobs } from '../src/directory.ts'
import type { BlobStore } from '../src/port.ts'
import { conformance } from './conformance.ts'

describe('the directory store', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let blobs: BlobStore
  beforeAll(async () => {
    directory = await temporaryDirectory('svc-blobs-')
    blobs = await openDirectoryBlobs(directory.path)
  })
  afterAll(() => directory.remove())

  conformance(() => blobs)

  test('leaves no incomplete file, and makes its files readable only for their owner', () => {
    expect(readdirSync(join(directory.path, 'uploads'))).toEqual([])
    const kept = join(directory.path, 'blobs/project-1/kept.png')
    expect(statSync(kept).mode & 0o077).toBe(0)
    expect(readdirSync(join(directory.path, 'blobs'))).toEqual(['project-1'])
  })

  test('deletes files that a killed process left incomplete', async () => {
    writeFileSync(join(directory.path, 'uploads/half'), 'x')
    await openDirectoryBlobs(directory.path)
    expect(readdirSync(join(directory.path, 'uploads'))).toEqual([])
  })
})

test('reports a directory that cannot be created', async () => {
  const directory = await temporaryDirectory('svc-blobs-')
  writeFileSync(join(directory.path, 'file'), '')
  await expect(openDirectoryBlobs(join(directory.path, 'file'))).rejects.toMatchObject({ code: 'blob_store_unavailable' })
  await directory.remove()
})
