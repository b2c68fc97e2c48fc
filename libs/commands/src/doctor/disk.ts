// How much room a disk has: of the data directory, and of the column store.
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { minFreeShare } from '@svc-server/backfill/courtesy'
import { formatBytes } from '../table.ts'
import type { Finding } from './finding.ts'

/** As the design has it for alerts. */
const ampleFreeShare = 0.2

export interface Room {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** @param where ends the sentence: "disk default" */
export function roomFinding(area: Finding['area'], where: string, { freeBytes, totalBytes }: Room): Finding {
  const share = totalBytes === 0 ? 1 : freeBytes / totalBytes
  const says = `${Math.floor(share * 100)} % of ${where} is free${share < ampleFreeShare ? ` (${formatBytes(freeBytes)})` : ''}.`
  if (share < minFreeShare)
    return {
      area,
      state: 'fault',
      says,
      do: 'Free or enlarge it now: merges, inserts and then spans are refused for want of room. What runs goes on by itself once there is room.',
    }
  if (share < ampleFreeShare) return { area, state: 'warning', says, do: 'Free or enlarge it: merges want as much as the largest part.' }
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

/** The disk of the directory that holds the embedded stores, and of those stores that are mounted from another one, or are links to it; nothing where there is no such directory. */
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
