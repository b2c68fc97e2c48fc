// Loads the run items that a round of repairs needs. This module keeps the small fields of all items in memory. It keeps the contents of
// items only until the kept contents together reach a limit. If an item's contents are not in memory, this module reads the contents again
// when the item's root is published.

import { contentBytes } from '@svc-server/schema/run-item-fill'
import { decodeStagedRunItem, isStagedRunItem, type StagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { OwnerDeps } from './deps.ts'
import { recordsAt } from './staged-records.ts'

type Deps = Pick<OwnerDeps, 'log' | 'partition' | 'config'>

const mostContentBytes = 16 << 20
const noContents = { runDescription: null, runMetadata: null, expectedOutput: null, itemMetadata: null }

interface Held {
  readonly item: StagedRunItem
  readonly isWhole: boolean
}

export interface StagedItems {
  /** Reads the items at the given ascending offsets, so that later calls of `at` find them. Returns the number of bytes of the records. */
  load(offsets: readonly number[]): Promise<number>
  /** Returns the item. Returns null if retention deleted the item's record, or if the record is unreadable. */
  at(offset: number, withContents: boolean): Promise<StagedRunItem | null>
}

export function createStagedItems(deps: Deps): StagedItems {
  const held = new Map<number, Held>()
  let contents = 0

  return {
    async load(offsets) {
      let bytes = 0
      for await (const { offset, record } of recordsAt(deps, offsets)) {
        const item = itemOf(record?.value ?? null)
        bytes += record?.value?.byteLength ?? 0
        if (item === null) continue
        const isWhole = contents < mostContentBytes
        held.set(offset, { item: isWhole ? item : { ...item, ...noContents }, isWhole })
        if (isWhole) contents += contentBytes(item)
      }
      return bytes
    },
    async at(offset, withContents) {
      const known = held.get(offset)
      if (known === undefined || known.isWhole || !withContents) return known?.item ?? null
      for await (const { record } of recordsAt(deps, [offset])) return itemOf(record?.value ?? null)
      return null
    },
  }
}

function itemOf(value: Uint8Array | null): StagedRunItem | null {
  if (value === null || !isStagedRunItem(value)) return null
  try {
    return decodeStagedRunItem(value)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}
