export { ensurePrivateDirectory, makeFilesPrivate, tighten } from './private-files.ts'
export { unusableDirectory } from './unusable-directory.ts'
