import { setting, type ValuesOf } from '@svc-server/service/configuration'

const prefixPattern = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/

export const mediaSettings = {
  bucket: setting.text({
    env: 'SVC_S3_MEDIA_UPLOAD_BUCKET',
    valid: 'the name of a bucket',
    optional: true,
    says: 'Bucket for media in an S3-compatible store. On AWS, the bucket must exist. If not set, a standalone server stores media in its data directory, and other servers respond to media requests with 500.',
  }),
  prefix: setting.text({
    env: 'SVC_S3_MEDIA_UPLOAD_PREFIX',
    optional: true,
    valid: 'folders, each followed by a slash',
    pattern: prefixPattern,
    says: 'Prefix of the object keys of media. For example, media/ results in <bucket>/media/<project>/<id>.',
  }),
  region: setting.text({ env: 'SVC_S3_MEDIA_UPLOAD_REGION', default: 'auto', valid: 'a region', says: 'Region of the bucket.' }),
  endpoint: setting.url({
    env: 'SVC_S3_MEDIA_UPLOAD_ENDPOINT',
    protocols: ['http', 'https'],
    optional: true,
    says: 'Endpoint of the store. Default: the AWS endpoint of the region. With SVC_MEDIA_UPLOAD=direct, clients must reach the endpoint, too.',
  }),
  accessKeyId: setting.text({
    env: 'SVC_S3_MEDIA_UPLOAD_ACCESS_KEY_ID',
    valid: 'an access key',
    optional: true,
    says: 'Access key of the store. Default: the credentials of the environment or of the machine’s role.',
  }),
  secretAccessKey: setting.secret({
    env: 'SVC_S3_MEDIA_UPLOAD_SECRET_ACCESS_KEY',
    valid: 'a secret key',
    optional: true,
    says: 'Secret of the access key.',
  }),
  forcePathStyle: setting.flag({
    env: 'SVC_S3_MEDIA_UPLOAD_FORCE_PATH_STYLE',
    default: false,
    says: 'Put the bucket into the path, not into the host name. Most S3-compatible stores other than AWS need path-style addresses.',
  }),
  maxContentLength: setting.integer({
    env: 'SVC_S3_MEDIA_MAX_CONTENT_LENGTH',
    default: 1_000_000_000,
    min: 1,
    max: 5_000_000_000,
    says: 'Largest accepted media file in bytes. A larger one gets 400.',
  }),
  downloadSeconds: setting.seconds({
    env: 'SVC_S3_MEDIA_DOWNLOAD_URL_EXPIRY_SECONDS',
    default: 3600,
    min: 1,
    max: 604_800,
    says: 'Lifetime of a media download URL.',
  }),
  upload: setting.choice(['proxy', 'direct'], {
    env: 'SVC_MEDIA_UPLOAD',
    default: 'proxy',
    says: 'How clients upload and download media. If the value is proxy, the bytes pass through this server. If the value is direct, clients connect to the media store themselves, so they must be able to reach the store.',
  }),
}

type MediaConfig = ValuesOf<typeof mediaSettings>

export function mediaProblems({ bucket, accessKeyId, secretAccessKey, upload }: MediaConfig): readonly string[] {
  const problems: string[] = []
  if (bucket === undefined && upload === 'direct') problems.push('SVC_MEDIA_UPLOAD=direct needs SVC_S3_MEDIA_UPLOAD_BUCKET.')
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    problems.push('Set SVC_S3_MEDIA_UPLOAD_ACCESS_KEY_ID and SVC_S3_MEDIA_UPLOAD_SECRET_ACCESS_KEY together, or neither.')
  return problems
}

export type { MediaConfig }
