export { type BannerFacts, banner } from './banner.ts'
export { storeEnvironment } from './config.ts'
export { type DataDirectory, lockDataDirectory } from './data-dir.ts'
export { loadSecrets, type Secrets } from './secrets.ts'
