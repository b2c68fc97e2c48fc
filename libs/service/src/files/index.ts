export { ensurePrivateDirectory, makeFilesPrivate, tighten } from './private-files.ts'
