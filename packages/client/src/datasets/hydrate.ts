// Replaces the media references in loaded dataset items.
import { type DatasetItem, getGlobalLogger, SvcMediaReference } from '@svc/core'
import { replaceAt } from './json-path.ts'

const fields = ['input', 'expectedOutput', 'metadata'] as const
type MediaField = (typeof fields)[number]

const isField = (field: string): field is MediaField => (fields as readonly string[]).includes(field)

/**
 * Replaces all media references in the given item with objects that can fetch the content. A reference that cannot be resolved stays
 * unchanged, and a warning is logged.
 */
export function hydrate(item: DatasetItem): DatasetItem {
  for (const { field, jsonPath, referenceString, media } of item.mediaReferences ?? []) {
    if (!media) continue
    try {
      if (!isField(field)) throw new Error(`'${field}' is not a field of an item that can contain media.`)
      item[field] = replaceAt(item[field], jsonPath, new SvcMediaReference({ ...media, referenceString }))
    } catch (error) {
      getGlobalLogger().warn(`Media ${media.mediaId} of dataset item ${item.id} stays a reference.`, error)
    }
  }
  return item
}
