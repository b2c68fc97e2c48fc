// File extensions of media, by which the store's tools recognize a file.

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/quicktime': 'mov',
  'video/x-msvideo': 'avi',
  'video/x-matroska': 'mkv',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/x-python': 'py',
  'text/x-typescript': 'ts',
  'application/javascript': 'js',
  'application/x-yaml': 'yaml',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/octet-stream': 'bin',
  'application/x-ndjson': 'ndjson',
  'application/vnd.apache.parquet': 'parquet',
  'application/gzip': 'gz',
  'application/x-tar': 'tar',
  'application/x-7z-compressed': '7z',
}

export const extensionOf = (contentType: string): string =>
  extensions[contentType] ?? contentType.slice(contentType.indexOf('/') + 1).replaceAll(/[^a-z0-9]/g, '')
