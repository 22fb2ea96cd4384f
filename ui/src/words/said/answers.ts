// Rejections of heartbeats and pictures by a service. Its own texts are for
// programs; these tell people what is wrong and what to do.

/** A status, and the text of the answer where that matters. */
export type Answer = readonly [
  status: number,
  text: string | null,
  english: string,
  chinese: string,
];

const damaged = "This picture is damaged. Export it again, or dismiss it.";

/** Those with a text first. */
export const answers: readonly Answer[] = [
  [
    403,
    "HTTPS required",
    "The service only accepts https://. Change the address in Settings, Sharing.",
    "服务只接受 https:// 连接。请在“设置”的“分享”中更改地址。",
  ],
  [
    413,
    "Image too large",
    "This picture is too large for the service. Make it smaller, or raise the limit in Settings, Pictures.",
    "图片超过了服务的大小上限。请缩小图片，或在“设置”的“图片”中提高上限。",
  ],
  [413, null, "This is too large for the service.", "服务不接受这么大的内容。"],
  [
    415,
    null,
    "Porchlight can’t read this file as a picture. It reads JPEG, PNG, GIF, WebP, AVIF, JPEG XL, BMP, TIFF, ICO and QOI.",
    "Porchlight 无法识别这个图片文件。支持 JPEG、PNG、GIF、WebP、AVIF、JPEG XL、BMP、TIFF、ICO 和 QOI。",
  ],
  [422, null, damaged, "图片已损坏。请重新导出，或忽略它。"],
  [
    507,
    null,
    "The storage is full. Free up some space; Porchlight will try again.",
    "存储空间已满。请腾出空间，Porchlight 会自动重试。",
  ],
  [
    408,
    null,
    "Sending took too long. Porchlight will try again.",
    "发送超时，Porchlight 会自动重试。",
  ],
  [
    500,
    null,
    "Something went wrong in the service; its log has details. Porchlight will try again.",
    "服务内部出错，详情见它的日志。Porchlight 会自动重试。",
  ],
  [
    503,
    null,
    "The service is busy or restarting. Porchlight will try again.",
    "服务正忙或正在重启，Porchlight 会自动重试。",
  ],
];

/** Other answers, by the first digit of the status; `{}` is the status. */
export const answersOfKind: Record<string, readonly [english: string, chinese: string]> = {
  3: [
    "This address redirects to another one. Use that one in Settings, Sharing.",
    "这个地址会重定向到另一个地址。请在“设置”的“分享”中改用那一个。",
  ],
  4: [
    "The service didn’t understand the request (status {}). Check its address in Settings, Sharing, and whether it is up to date.",
    "服务无法处理这个请求（状态 {}）。请检查“设置”的“分享”中的地址，以及服务的版本。",
  ],
  5: [
    "The service can’t be reached at its address right now (status {}). Porchlight will try again.",
    "暂时无法通过这个地址访问服务（状态 {}），Porchlight 会自动重试。",
  ],
};
