// JSON from the store is sent unchanged, with all digits of its numbers.
import type { DatasetItem } from '@svc-server/relational/dataset-items'
import { type ItemMedia, isUploaded, readMediaOfItems } from '@svc-server/relational/media'
import type { InProject } from '@svc-server/relational/tenancy'
import type { MediaAccess } from '../../media/media.ts'

interface Viewing {
  readonly media: MediaAccess
  /** Origin of this server's URLs. */
  readonly origin: string
}

const referenceView = async ({ field, jsonPath, referenceString, ...media }: ItemMedia, { media: access, origin }: Viewing) => {
  const { id: mediaId, contentType, contentLength } = media
  return { field, referenceString, jsonPath, media: { mediaId, contentType, contentLength, ...(await access.downloadUrl(media, origin)) } }
}

function textOf({ input, expectedOutput, metadata, validFrom, ...item }: DatasetItem, mediaReferences: readonly object[]): string {
  const { id, status, sourceTraceId, sourceObservationId, datasetId, datasetName } = item
  const head = JSON.stringify({ id, status, sourceTraceId, sourceObservationId, datasetId, datasetName })
  const tail = JSON.stringify({ createdAt: item.createdAt, updatedAt: item.updatedAt, version: validFrom, mediaReferences })
  const contents = `"input":${input},"expectedOutput":${expectedOutput},"metadata":${metadata}`
  return `${head.slice(0, -1)},${contents},${tail.slice(1)}`
}

/** Returns the items as JSON texts, which contain URLs for uploaded media. */
async function textsOf(project: InProject, items: readonly DatasetItem[], viewing: Viewing): Promise<readonly string[]> {
  const media = await readMediaOfItems(project, items)
  const texts: string[] = []
  for (const item of items) {
    const uploaded = (media.get(item.id) ?? []).filter(isUploaded)
    texts.push(textOf(item, await Promise.all(uploaded.map(each => referenceView(each, viewing)))))
  }
  return texts
}

export const itemText = async (project: InProject, item: DatasetItem, viewing: Viewing): Promise<string> =>
  (await textsOf(project, [item], viewing))[0]!

export const itemsText = async (project: InProject, items: readonly DatasetItem[], viewing: Viewing): Promise<string> =>
  `[${(await textsOf(project, items, viewing)).join(',')}]`
