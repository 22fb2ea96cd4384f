// What a service says to a heartbeat or a picture that it does not take. Its own words are for
// programs; these say what is wrong and what to do.

/** A status, and the text of the answer where that matters. */
export type Answer = readonly [
  status: number,
  text: string | null,
  english: string,
  chinese: string,
];

const damaged =
  "This file begins like a picture, but the rest of it is damaged. Save it again with the program that made it, or leave it out.";

/** Those with a text first. */
export const answers: readonly Answer[] = [
  [
    403,
    "HTTPS required",
    "The service takes this only by https://. Change the address in Settings, Sharing.",
    "服务只接受 https:// 连接。请在“设置”的“分享”中更改地址。",
  ],
  [
    413,
    "Image too large",
    "This picture is larger, in bytes or in pixels, than the service takes. Make it smaller, or raise the limit in Settings, Images.",
    "这张图片的文件或像素超过了服务的上限。请缩小图片，或在“设置”的“图片”中提高上限。",
  ],
  [413, null, "The service takes nothing this large.", "服务不接受这么大的内容。"],
  [
    415,
    null,
    "This file is not a picture Porchlight can read. It reads JPEG, PNG, GIF, WebP, AVIF, JPEG XL, BMP, TIFF, ICO and QOI.",
    "这个文件不是 Porchlight 能读取的图片。可以读取 JPEG、PNG、GIF、WebP、AVIF、JPEG XL、BMP、TIFF、ICO 和 QOI。",
  ],
  [
    422,
    null,
    damaged,
    "这个文件开头像图片，但其余部分已损坏。请用原来的程序重新保存，或不再上传它。",
  ],
  [
    507,
    null,
    "There is no room left where pictures are stored. Make room there; it is tried again by itself.",
    "存放图片的地方没有空间了。请腾出空间，之后会自动再试。",
  ],
  [
    408,
    null,
    "It took too long to arrive. It is tried again by itself.",
    "传送花了太长时间。会自动再试。",
  ],
  [
    500,
    null,
    "Something went wrong inside the service; its log says what. It is tried again by itself.",
    "服务内部出错，它的日志里有原因。会自动再试。",
  ],
  [
    503,
    null,
    "The service is busy or being restarted. It is tried again by itself.",
    "服务正忙或正在重启。会自动再试。",
  ],
];

/** An answer of no status above, by the first digit of its own; `{}` is the status. */
export const answersOfKind: Record<string, readonly [english: string, chinese: string]> = {
  3: [
    "This address leads on to another one. Use that one in Settings, Sharing.",
    "这个地址会转到另一个地址。请在“设置”的“分享”中改用那一个。",
  ],
  4: [
    "The service did not understand what it was sent (status {}). Check its address in Settings, Sharing, and whether it is up to date.",
    "服务没有理解发来的内容（状态 {}）。请检查“设置”的“分享”中的地址，以及它的版本。",
  ],
  5: [
    "The service cannot be reached behind its address right now (status {}). It is tried again by itself.",
    "现在无法通过这个地址找到服务（状态 {}）。会自动再试。",
  ],
};
