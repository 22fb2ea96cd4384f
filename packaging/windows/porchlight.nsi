; The setup of the app for Windows: for one user, without an administrator, `/S` for a silent one.
; makensis is given FOLDER (what is installed), OUT, VERSION, PUBLISHER and SIZE (in KiB).

; Otherwise it is a program of 32 bits.
Target amd64-unicode
Unicode true
SetCompressor /SOLID lzma
; The twin of the program for consoles differs in one byte: the second is found in the first.
SetCompressorDictSize 64
RequestExecutionLevel user
ManifestDPIAware true

!include LogicLib.nsh
!include MUI2.nsh

Name "Porchlight"
BrandingText "Porchlight ${VERSION}"
OutFile "${OUT}"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Porchlight"
InstallDir "$LOCALAPPDATA\Programs\Porchlight"
; An upgrade goes where the program is.
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"

!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
!define SWITCHES "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
!define VERBS "Software\Classes\SystemFileAssociations"
; The name of the app's toasts. A test compares it, the verb's words and WEBVIEW with those of the app.
!define TOASTS "Software\Classes\AppUserModelId\blog.porchlight.desktop"
; Where the WebView2 Runtime keeps its version, by Microsoft's documentation; and where it is got.
!define WEBVIEW_KEY "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"
!define WEBVIEW_PAGE "https://developer.microsoft.com/microsoft-edge/webview2/"
!define WEBVIEW "https://go.microsoft.com/fwlink/p/?LinkId=2124703"

!define MUI_ICON "..\..\src-tauri\icons\icon.ico"
!define MUI_UNICON "..\..\src-tauri\icons\icon.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\porchlight.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
; The first that the user's Windows speaks.
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

LangString StillRuns ${LANG_ENGLISH} "Porchlight is still running. Quit it, also where a console runs it, and try again."
LangString StillRuns ${LANG_SIMPCHINESE} "Porchlight 仍在运行。请退出它（包括控制台中的），然后重试。"
LangString Upload ${LANG_ENGLISH} "Upload with Porchlight"
LangString Upload ${LANG_SIMPCHINESE} "用 Porchlight 上传"
LangString NoWebview ${LANG_ENGLISH} "To show its window, Porchlight needs Microsoft's WebView2 Runtime, which this computer doesn't have.$\r$\n$\r$\n${WEBVIEW_PAGE}$\r$\n$\r$\nDownload it now?"
LangString NoWebview ${LANG_SIMPCHINESE} "Porchlight 需要微软的 WebView2 运行时来显示窗口，这台电脑上没有它。$\r$\n$\r$\n${WEBVIEW_PAGE}$\r$\n$\r$\n现在下载吗？"
LangString DataStays ${LANG_ENGLISH} "Your pictures and settings stay in $LOCALAPPDATA\Porchlight."
LangString DataStays ${LANG_SIMPCHINESE} "你的图片和设置保留在 $LOCALAPPDATA\Porchlight。"

; For the formats that the app offers in its own dialogs, which a test compares.
!macro ForEachEnding DO
  !insertmacro ${DO} jpg
  !insertmacro ${DO} jpeg
  !insertmacro ${DO} jfif
  !insertmacro ${DO} png
  !insertmacro ${DO} apng
  !insertmacro ${DO} gif
  !insertmacro ${DO} webp
  !insertmacro ${DO} heic
  !insertmacro ${DO} heif
  !insertmacro ${DO} avif
  !insertmacro ${DO} jxl
  !insertmacro ${DO} svg
  !insertmacro ${DO} bmp
  !insertmacro ${DO} tif
  !insertmacro ${DO} tiff
  !insertmacro ${DO} ico
  !insertmacro ${DO} qoi
!macroend

Var WasRunning
Var Command

!macro OfBoth UN
; Pushes 1 when a program of this folder runs: Windows then opens its file for nobody to write.
Function ${UN}Runs
  StrCpy $0 0
  ClearErrors
  ${If} ${FileExists} "$INSTDIR\porchlight.exe"
    FileOpen $1 "$INSTDIR\porchlight.exe" a
    ${If} ${Errors}
      StrCpy $0 1
    ${Else}
      FileClose $1
    ${EndIf}
  ${EndIf}
  ClearErrors
  ${If} ${FileExists} "$INSTDIR\porchlight.com"
    FileOpen $1 "$INSTDIR\porchlight.com" a
    ${If} ${Errors}
      StrCpy $0 1
    ${Else}
      FileClose $1
    ${EndIf}
  ${EndIf}
  Push $0
FunctionEnd

; Has each process of this program end in order, whatever its data folder: it finishes what is in
; flight, and what it has not uploaded yet stays in its queue.
Function ${UN}Quit
  StrCpy $WasRunning 0
  again:
  Call ${UN}Runs
  Pop $0
  ${If} $0 = 0
    Return
  ${EndIf}
  Exec '"$INSTDIR\porchlight.exe" --quit'
  ; A minute, in quarters of a second.
  StrCpy $2 0
  ${DoWhile} $2 < 240
    Call ${UN}Runs
    Pop $0
    ${If} $0 = 0
      StrCpy $WasRunning 1
      Return
    ${EndIf}
    Sleep 250
    IntOp $2 $2 + 1
  ${Loop}
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(StillRuns)" /SD IDCANCEL IDRETRY again
  SetErrorLevel 1
  Abort "$(StillRuns)"
FunctionEnd
!macroend
!insertmacro OfBoth ""
!insertmacro OfBoth "un."

!macro AddVerb ENDING
  WriteRegStr HKCU "${VERBS}\.${ENDING}\shell\Porchlight" "" "$(Upload)"
  WriteRegStr HKCU "${VERBS}\.${ENDING}\shell\Porchlight" "Icon" '"$INSTDIR\porchlight.exe"'
  WriteRegStr HKCU "${VERBS}\.${ENDING}\shell\Porchlight" "MultiSelectModel" "Player"
  WriteRegStr HKCU "${VERBS}\.${ENDING}\shell\Porchlight\command" "" '"$INSTDIR\porchlight.exe" --upload "%1"'
!macroend

Section
  Call Quit
  SetOutPath $INSTDIR
  ; A file that cannot be replaced ends the setup, also a silent one.
  AllowSkipFiles off
  File /r "${FOLDER}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Porchlight.lnk" "$INSTDIR\porchlight.exe"
  ; What the user has switched off since stays off.
  ReadRegStr $0 HKCU "${UNINSTALL}" "DisplayVersion"
  ${If} $0 == ""
    !insertmacro ForEachEnding AddVerb
  ${EndIf}
  WriteRegStr HKCU "${TOASTS}" "DisplayName" "Porchlight"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Porchlight"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\porchlight.exe"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "${PUBLISHER}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${SIZE}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${If} $WasRunning = 1
    Exec '"$INSTDIR\porchlight.exe" --hidden'
  ${EndIf}
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\${WEBVIEW_KEY}" "pv"
  ${If} $0 == ""
  ${OrIf} $0 == "0.0.0.0"
    ReadRegStr $0 HKCU "Software\${WEBVIEW_KEY}" "pv"
  ${EndIf}
  ${If} $0 == ""
  ${OrIf} $0 == "0.0.0.0"
    DetailPrint "WebView2 Runtime: ${WEBVIEW_PAGE}"
    MessageBox MB_YESNO|MB_ICONINFORMATION "$(NoWebview)" /SD IDNO IDNO +2
    ExecShell "open" "${WEBVIEW}"
  ${EndIf}
SectionEnd

; Removes the verbs for an ending that start this program: one for each data folder.
!macro RemoveVerbs ENDING
  Push "${VERBS}\.${ENDING}"
  Call un.RemoveVerbs
!macroend

Function un.RemoveVerbs
  Pop $3
  StrLen $4 $Command
  StrCpy $0 0
  next:
  EnumRegKey $1 HKCU "$3\shell" $0
  ${If} $1 != ""
    ReadRegStr $2 HKCU "$3\shell\$1\command" ""
    StrCpy $2 $2 $4
    ${If} $2 == $Command
      DeleteRegKey HKCU "$3\shell\$1"
    ${Else}
      IntOp $0 $0 + 1
    ${EndIf}
    Goto next
  ${EndIf}
  DeleteRegKey /ifempty HKCU "$3\shell"
  DeleteRegKey /ifempty HKCU "$3"
FunctionEnd

Section Uninstall
  Call un.Quit
  ; What it was installed with, and nothing else that may be in the folder.
  Delete "$INSTDIR\porchlight.exe"
  Delete "$INSTDIR\porchlight.com"
  Delete "$INSTDIR\WebView2Loader.dll"
  Delete "$INSTDIR\LICENSE-APACHE"
  Delete "$INSTDIR\LICENSE-MIT"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Porchlight.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "${TOASTS}"
  StrCpy $Command '"$INSTDIR\porchlight.exe"'
  !insertmacro ForEachEnding RemoveVerbs
  ; The starts at login of this program: one for each data folder.
  StrLen $4 $Command
  StrCpy $0 0
  next:
  ClearErrors
  EnumRegValue $1 HKCU "${RUN}" $0
  ${IfNot} ${Errors}
    ReadRegStr $2 HKCU "${RUN}" $1
    StrCpy $2 $2 $4
    ${If} $2 == $Command
      DeleteRegValue HKCU "${RUN}" $1
      DeleteRegValue HKCU "${SWITCHES}" $1
    ${Else}
      IntOp $0 $0 + 1
    ${EndIf}
    Goto next
  ${EndIf}
  DetailPrint "$(DataStays)"
SectionEnd
