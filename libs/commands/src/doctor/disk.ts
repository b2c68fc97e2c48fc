import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { minFreeShare } from '@svc-server/backfill/throttle'
import { formatBytes } from '../table.ts'
import type { Finding } from './finding.ts'

/** The alerts use the same share. */
const ampleFreeShare = 0.2

export interface Room {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** @param where Name of the disk for the finding's text, such as "disk default". */
export function roomFinding(area: Finding['area'], where: string, { freeBytes, totalBytes }: Room): Finding {
  const share = totalBytes === 0 ? 1 : freeBytes / totalBytes
  const says = `${Math.floor(share * 100)} % of ${where} is free${share < ampleFreeShare ? ` (${formatBytes(freeBytes)})` : ''}.`
  if (share < minFreeShare)
    return {
      area,
      state: 'fault',
      says,
      do: 'Make space on the disk or enlarge the disk now. On a full disk, merges fail first. Later, inserts fail, and then the server refuses spans. All work continues without further action once space is free.',
    }
  if (share < ampleFreeShare)
    return {
      area,
      state: 'warning',
      says,
      do: 'Make space on the disk, or enlarge the disk: a merge needs as much space as the largest part.',
    }
  return { area, state: 'ok', says }
}

export interface Disks {
  deviceOf(path: string): Promise<number>
  roomOn(path: string): Promise<Room>
}

const disksHere: Disks = {
  deviceOf: async path => (await stat(path)).dev,
  async roomOn(path) {
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  },
}

/** Checks the disk of the data directory, and of stores mounted in it or linked from it. */
export async function examineDataDirectory(directory: string | undefined, disks: Disks = disksHere): Promise<readonly Finding[]> {
  if (directory === undefined) return []
  const entries = await readdir(directory, { withFileTypes: true })
  const stores = entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink())
  const byDevice = new Map<number, string>()
  for (const path of [directory, ...stores.map(({ name }) => join(directory, name))]) {
    const device = await disks.deviceOf(path)
    if (!byDevice.has(device)) byDevice.set(device, path)
  }
  const found = [...byDevice.values()].map(async path => roomFinding('data directory', `the disk of ${path}`, await disks.roomOn(path)))
  return Promise.all(found)
}
