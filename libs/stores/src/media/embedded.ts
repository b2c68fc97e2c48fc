import { openDirectoryBlobs } from '@svc-server/blob-store/directory'
import { defineStore, type Store } from '@svc-server/service/store'
import { dataDirectory } from '../data-directory/store.ts'
import { type MediaStore, mediaStoreOf, openBucket } from './media.ts'
import { mediaProblems, mediaSettings } from './settings.ts'

export const embeddedMedia: Store<MediaStore> = defineStore({
  name: 'The store of media',
  needs: { directory: dataDirectory },
  variables: mediaSettings,
  validate: mediaProblems,
  open: async (config, { directory: { paths } }, { logger }) => {
    const bucket = await openBucket(config, logger)
    const blobs = bucket ?? (await openDirectoryBlobs(paths.media))
    return { store: mediaStoreOf(config, blobs), close: async () => bucket?.close() }
  },
})
